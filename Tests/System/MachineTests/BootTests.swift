import Glibc
import TestNetwork
import Testing

@testable import Machine

@Suite("Secure Boot and kernel lockdown")
struct BootTests {
  private static let secureBoot = "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
  private static let setupMode = "SetupMode-8be4df61-93ca-11d2-aa0d-00e098032b8c"
  private static let shim = "MokSBStateRT-605dab50-e046-4300-abb6-3dd810dd8b23"

  private static func setting(_ variables: [String: String]) throws -> Posture.Setting {
    let fake = try FakeHost()
    for (name, content) in variables { try fake.file("/sys/firmware/efi/efivars/\(name)", content) }
    return Posture.Setting(secureBootOf: fake.host)
  }

  @Test("Secure Boot is the byte after four attribute bytes of the variable")
  func secureBoot() throws {
    #expect(try Self.setting([Self.secureBoot: "\u{6}\0\0\0\u{1}"]) == .enabled)
    #expect(try Self.setting([Self.secureBoot: "\u{6}\0\0\0\0"]) == .disabled)
    #expect(try Self.setting([:]) == .unknown)
    for content in ["", "\u{1}", "\u{6}\0\0\0", "\u{6}\0\0\0\u{2}", "\u{6}\0\0\0\u{1}\0", "11111"] {
      #expect(try Self.setting([Self.secureBoot: content]) == .unknown, "\(Array(content.utf8))")
    }
  }

  @Test("Secure Boot in setup mode or with shim validation off is disabled")
  func exceptions() throws {
    let on = "\u{6}\0\0\0\u{1}"
    #expect(try Self.setting([Self.secureBoot: on, Self.setupMode: on]) == .disabled)
    #expect(try Self.setting([Self.secureBoot: on, Self.shim: on]) == .disabled)
    let off = "\u{6}\0\0\0\0"
    #expect(try Self.setting([Self.secureBoot: on, Self.setupMode: off, Self.shim: off]) == .enabled)
    #expect(try Self.setting([Self.shim: off, Self.setupMode: off]) == .unknown)
  }

  @Test("lockdown state from a pipe instead of a file is unknown")
  func pipe() throws {
    let fake = try FakeHost()
    try fake.directory("/sys/kernel/security")
    try fake.pipe("/sys/kernel/security/lockdown")
    let text = Array("none [integrity]\n".utf8)
    let path = fake.directory.path + "/sys/kernel/security/lockdown"
    // The pipe keeps the text while the reader is open; the closed writer ends it.
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let writer = open(path, O_WRONLY | O_NONBLOCK)
    try #require(write(writer, text, text.count) == text.count)
    close(writer)
    #expect(Posture.Lockdown(of: fake.host) == .unknown)
  }

  @Test("directory, pipe or link loop instead of the variable does not block")
  func hostile() throws {
    let fake = try FakeHost()
    try fake.directory("/sys/firmware/efi/efivars/\(Self.secureBoot)")
    #expect(Posture.Setting(secureBootOf: fake.host) == .unknown)
    let other = try FakeHost()
    try other.directory("/sys/firmware/efi/efivars")
    try other.pipe("/sys/firmware/efi/efivars/\(Self.secureBoot)")
    #expect(Posture.Setting(secureBootOf: other.host) == .unknown)
    let third = try FakeHost()
    try third.link("/sys/firmware/efi/efivars/\(Self.secureBoot)", to: Self.secureBoot)
    #expect(Posture.Setting(secureBootOf: third.host) == .unknown)
  }

  @Test(
    "kernel lockdown is the only word in brackets",
    arguments: [
      ("[none] integrity confidentiality\n", .none), ("none [integrity] confidentiality\n", .integrity),
      ("none integrity [confidentiality]\n", .confidentiality),
      ("none integrity confidentiality\n", .unknown),
      ("[none] [integrity]\n", .unknown), ("[everything]\n", .unknown), ("[]", .unknown), ("[", .unknown),
      ("", .unknown), ("[unknown]", .unknown), (String(repeating: "[integrity] ", count: 100_000), .unknown),
    ] as [(String, Posture.Lockdown)]
  )
  func lockdown(text: String, level: Posture.Lockdown) throws {
    let fake = try FakeHost()
    #expect(Posture.Lockdown(of: fake.host) == .unknown)
    try fake.file("/sys/kernel/security/lockdown", text)
    #expect(Posture.Lockdown(of: fake.host) == level)
  }
}
