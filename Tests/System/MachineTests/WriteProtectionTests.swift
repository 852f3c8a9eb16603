import Glibc
import TestNetwork
import Testing

@testable import Machine

@Suite("Write protection of program and state")
struct WriteProtectionTests {
  private static func machine() throws -> FakeHost {
    let fake = try FakeHost()
    try fake.file("/usr/bin/mfad", "program", mode: 0o755)
    try fake.link("/proc/self/exe", to: "/usr/bin/mfad")
    try fake.directory("/var/lib/mfad", mode: 0o700)
    for name in ["mfad.db", "mfad.db-wal", "lock"] {
      try fake.file("/var/lib/mfad/\(name)", "state", mode: 0o600)
    }
    try fake.setMode("/var/lib/mfad", 0o700)
    return fake
  }

  private static func program(_ fake: FakeHost) -> Posture.Finding { .init(programProtectedOn: fake.host) }
  private static func state(_ fake: FakeHost) -> Posture.Finding {
    .init(isProtected: "/var/lib/mfad", on: fake.host)
  }

  @Test("program and state that only root and the user can write are protected")
  func protected() throws {
    let fake = try Self.machine()
    #expect(Self.program(fake) == .yes)
    #expect(Self.state(fake) == .yes)
  }

  @Test(
    "a program is not protected if others can write it or a directory of its path",
    arguments: [
      ("/usr/bin/mfad", 0o757), ("/usr/bin/mfad", 0o777), ("/usr/bin", 0o777), ("/usr", 0o757), ("/", 0o777),
    ] as [(String, mode_t)]
  )
  func program(path: String, mode: mode_t) throws {
    let fake = try Self.machine()
    try fake.setMode(path, mode)
    #expect(Self.program(fake) == .no)
  }

  @Test(
    "state is not protected if others can write or replace it",
    arguments: [
      ("/var/lib/mfad/mfad.db", 0o622), ("/var/lib/mfad/lock", 0o602), ("/var/lib/mfad", 0o777),
      ("/var/lib/mfad", 0o1777), ("/var/lib", 0o777), ("/var", 0o757),
    ] as [(String, mode_t)]
  )
  func state(path: String, mode: mode_t) throws {
    let fake = try Self.machine()
    try fake.setMode(path, mode)
    #expect(Self.state(fake) == .no)
  }

  @Test("a world-writable parent directory is safe if it is sticky")
  func sticky() throws {
    let fake = try Self.machine()
    try fake.setMode("/usr/bin", 0o1777)
    try fake.setMode("/var", 0o1777)
    #expect(Self.program(fake) == .yes)
    #expect(Self.state(fake) == .yes)
  }

  @Test("a file with another owner is not protected")
  func owners() throws {
    let fake = try Self.machine()
    if geteuid() == 0 {
      try #require(chown(fake.directory.path + "/var/lib/mfad/mfad.db", 12345, 0) == 0)
      #expect(Self.state(fake) == .no)
      #expect(Self.program(fake) == .yes)
      #expect(Posture.Finding(isProtected: "/var/lib/mfad", on: fake.host(of: 12345)) == .yes)
      try #require(chown(fake.directory.path + "/usr", 65534, 0) == 0)
      #expect(Self.program(fake) == .unknown, "an owner whom a namespace does not know")
    } else {
      let other = fake.host(of: geteuid() + 1)
      #expect(Posture.Finding(isProtected: "/var/lib/mfad", on: other) == .no)
      #expect(Posture.Finding(programProtectedOn: other) == .no)
    }
  }

  @Test("every directory on the way of a symbolic link must be protected")
  func links() throws {
    let fake = try Self.machine()
    try fake.link("/opt/current", to: "../usr/./bin/../bin")
    try fake.link("/proc/other", to: "/opt/current/mfad")
    #expect(fake.host.resolve("/opt/current/mfad") == ResolvedPath(path: "/usr/bin/mfad", isProtected: true))
    #expect(fake.host.resolve("/proc/other")?.path == "/usr/bin/mfad")
    #expect(fake.host.resolve("/../../usr/..")?.path == "/")
    try fake.setMode("/opt", 0o777)
    #expect(fake.host.resolve("/opt/current/mfad") == ResolvedPath(path: "/usr/bin/mfad", isProtected: false))
    #expect(fake.host.resolve("/usr/bin/mfad")?.isProtected == true)
  }

  @Test("protection is unknown for a replaced program, missing state and link loops")
  func unknown() throws {
    let fake = try FakeHost()
    #expect(Self.program(fake) == .unknown)
    #expect(Self.state(fake) == .unknown)
    try fake.link("/proc/self/exe", to: "/usr/bin/mfad (deleted)")
    try fake.file("/usr/bin/mfad", "the new one")
    #expect(Self.program(fake) == .unknown)
    try fake.link("/a", to: "/b")
    try fake.link("/b", to: "a")
    #expect(fake.host.resolve("/a") == nil)
    #expect(fake.host.resolve("/usr/bin/mfad/x") == nil)
    #expect(fake.host.resolve("usr/bin/mfad") == nil)
  }

  @Test("links or too many files in the state directory give unknown; sockets are ignored")
  func content() throws {
    let fake = try Self.machine()
    try fake.pipe("/var/lib/mfad/mfad.sock", mode: 0o666)
    #expect(Self.state(fake) == .yes)
    try fake.link("/var/lib/mfad/elsewhere", to: "/tmp/x")
    #expect(Self.state(fake) == .unknown)
    let crowded = try Self.machine()
    for number in 0..<300 { try crowded.file("/var/lib/mfad/\(number)", "") }
    #expect(Self.state(crowded) == .unknown)
    try crowded.setMode("/var", 0o777)
    #expect(Self.state(crowded) == .no, "what is known to be open is not made unknown by what is not known")
  }

  @Test("a path is resolved even if its protection is unknown")
  func disk() throws {
    let fake = try Self.machine()
    try fake.setMode("/var/lib", 0o770)
    #expect(fake.host.resolve("/var/lib/mfad") == ResolvedPath(path: "/var/lib/mfad", isProtected: nil))
  }
}
