import Glibc
import TestNetwork
import Testing

@testable import Machine

@Suite("Groups with write permission")
struct GroupTests {
  /// A machine with state that the test's group can write, and a group file with these members.
  private static func machine(_ members: String, primaryOf others: String = "") throws -> FakeHost {
    let fake = try FakeHost()
    try fake.file(
      "/etc/passwd",
      "root:x:0:0:root:/root:/bin/sh\nme:x:\(geteuid()):7:::\nbob:x:54321:8:::\n\(others)"
    )
    try fake.file("/etc/group", "root:x:999:\nsome:x:8:bob\nmine:x:\(getegid()):\(members)\n")
    try fake.file("/state/mfad.db", "state", mode: 0o660)
    try fake.setMode("/state", 0o770)
    return fake
  }

  private static func state(_ fake: FakeHost) -> Posture.Finding {
    .init(isProtected: "/state", on: fake.host)
  }

  @Test(
    "state is protected if only root and the user are in the group",
    arguments: ["", "me", "root", "root,me"]
  )
  func own(members: String) throws {
    #expect(Self.state(try Self.machine(members)) == .yes)
  }

  @Test(
    "state is not protected if another user is in the group",
    arguments: ["bob", "me,bob", "stranger", "mee", "54321"]
  )
  func others(members: String) throws {
    #expect(Self.state(try Self.machine(members)) == .no)
  }

  @Test("state is not protected if the group is another user's primary group")
  func primary() throws {
    #expect(Self.state(try Self.machine("", primaryOf: "ann:x:60001:\(getegid()):::\n")) == .no)
    #expect(Self.state(try Self.machine("", primaryOf: "twin:x:\(geteuid()):\(getegid()):::\n")) == .yes)
  }

  @Test("members of both lines for one gid count")
  func twice() throws {
    let fake = try Self.machine("")
    try fake.file("/etc/group", "mine:x:\(getegid()):\nagain:x:\(getegid()):bob\n")
    #expect(Self.state(fake) == .no)
  }

  @Test(
    "protection is unknown if the group's members cannot be determined",
    arguments: [
      ("/etc/group", "other:x:12345:\n"), ("/etc/group", "nonsense\n"), ("/etc/group", "+:::\n"),
      ("/etc/passwd", "+::::::\n"), ("/etc/group", "mine:x:99999999999:\n"),
      ("/etc/group", String(repeating: "#", count: 2_000_000)),
    ]
  )
  func unknown(path: String, text: String) throws {
    let fake = try Self.machine("")
    try fake.file(path, text)
    #expect(Self.state(fake) == .unknown)
  }

  @Test(
    "protection is unknown if a user table is missing or group-writable",
    arguments: [
      "/etc/group", "/etc/passwd",
    ]
  )
  func tables(path: String) throws {
    let fake = try Self.machine("")
    try fake.setMode(path, 0o664)
    #expect(Self.state(fake) == .unknown)
    try fake.setMode(path, 0o644)
    #expect(Self.state(fake) == .yes)
    try fake.setMode("/etc", 0o775)
    #expect(Self.state(fake) == .unknown)
    try fake.setMode("/etc", 0o755)
    try #require(unlink(fake.directory.path + path) == 0)
    #expect(Self.state(fake) == .unknown)
  }

  @Test("protection is unknown if the file has a POSIX ACL")
  func accessList() throws {
    let fake = try Self.machine("")
    // ACL entries for owner, user 54321, group, mask and others (acl(5)). Only some file systems support it.
    let script = """
      import os, struct, sys
      entries = [(1, 6, 2**32 - 1), (2, 6, 54321), (4, 0, 2**32 - 1), (16, 6, 2**32 - 1), (32, 0, 2**32 - 1)]
      value = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
      try:
          os.setxattr(sys.argv[1], "system.posix_acl_access", value)
          print("set")
      except OSError:
          print("not supported")
      """
    let file = "/state/mfad.db"
    let output = try TestProgram.run([TestProgram.python, "-c", script, fake.directory.path + file])
    let isSet = output.hasPrefix("set")
    #expect(fake.host.hasAccessList(file) == isSet)
    #expect(Self.state(fake) == (isSet ? .unknown : .yes))
  }
}
