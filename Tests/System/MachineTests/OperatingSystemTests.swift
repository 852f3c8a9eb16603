import Glibc
import TestNetwork
import Testing

@testable import Machine

@Suite("The operating system")
struct OperatingSystemTests {
  private static func read(_ text: String) throws -> [String] {
    let fake = try FakeHost()
    try fake.file("/usr/lib/os-release", text)
    try fake.link("/etc/os-release", to: "../usr/lib/os-release")
    let system = OperatingSystem(of: fake.host)
    return [system.id, system.version]
  }

  @Test("id and version come from os-release")
  func values() throws {
    #expect(
      try Self.read("NAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\nVERSION=\"12 (bookworm)\"\nID=debian\n")
        == ["debian", "12"]
    )
    #expect(try Self.read("# ID=old\nID='opensuse-leap'\nVERSION_ID='15.6'") == ["opensuse-leap", "15.6"])
    #expect(try Self.read("ID=first\nID=second\nVERSION_ID=1~2+3") == ["second", "1~2+3"])
  }

  @Test(
    "a missing or malformed id or version is unknown",
    arguments: [
      "", "ID\nVERSION_ID", "ID=\nVERSION_ID=\"\"", "ID=\"\nVERSION_ID='", "ID=a b\nVERSION_ID=$(id)",
      "ID=\u{1b}[31m\nVERSION_ID=\u{202e}1", "VERSION_IDX=1\nXID=2\n ID=debian",
      "ID=\"debian'\nVERSION_ID='1\"",
      "ID=" + String(repeating: "x", count: 65),
      "ID=debian\nVERSION_ID=12\n" + String(repeating: "#", count: 1_000_000),
    ]
  )
  func nonsense(text: String) throws {
    #expect(try Self.read(text) == ["unknown", "unknown"])
  }

  @Test("a file that is not UTF-8 gives unknown")
  func bytes() throws {
    let fake = try FakeHost()
    try fake.file("/etc/os-release", "ID=debian\n")
    let descriptor = open(fake.directory.path + "/etc/os-release", O_WRONLY | O_APPEND)
    defer { close(descriptor) }
    #expect(write(descriptor, [0xFF as UInt8], 1) == 1)
    #expect(OperatingSystem(of: fake.host).id == "unknown")
  }

  @Test("/etc/os-release takes precedence; without both files the id is unknown")
  func places() throws {
    let fake = try FakeHost()
    #expect(OperatingSystem(of: fake.host).id == "unknown")
    try fake.file("/usr/lib/os-release", "ID=vendor\n")
    #expect(OperatingSystem(of: fake.host).id == "vendor")
    try fake.file("/etc/os-release", "ID=here\n")
    #expect(OperatingSystem(of: fake.host).id == "here")
  }

  @Test("a file that other users could write or replace is ignored")
  func writable() throws {
    let fake = try FakeHost()
    try fake.file("/etc/os-release", "ID=debian\n", mode: 0o666)
    #expect(OperatingSystem(of: fake.host).id == "unknown")
    try fake.setMode("/etc/os-release", 0o644)
    #expect(OperatingSystem(of: fake.host).id == "debian")
    try fake.setMode("/etc", 0o777)
    #expect(OperatingSystem(of: fake.host).id == "unknown")
  }

  @Test("a symbolic link loop gives unknown")
  func circle() throws {
    let fake = try FakeHost()
    try fake.link("/etc/os-release", to: "../usr/lib/os-release")
    try fake.link("/usr/lib/os-release", to: "/etc/os-release")
    #expect(OperatingSystem(of: fake.host).id == "unknown")
  }

  @Test("kernel is the release of the running kernel")
  func kernel() throws {
    var names = utsname()
    uname(&names)
    let release = withUnsafeBytes(of: &names.release) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    #expect(OperatingSystem(of: try FakeHost().host).kernel == release)
  }
}
