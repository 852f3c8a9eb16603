import Glibc
import Testing

@testable import Machine

@Suite("Whom a machine knows")
struct UserStandingTests {
  private static func machine(passwd: String? = nil, subuid: String? = nil) throws -> FakeHost {
    let fake = try FakeHost()
    try fake.directory("/etc")
    if let passwd { try fake.file("/etc/passwd", passwd) }
    if let subuid { try fake.file("/etc/subuid", subuid) }
    return fake
  }

  @Test(
    "whoever has a line in /etc/passwd is known, and who has none may be known elsewhere",
    arguments: [(0, .known), (1000, .known), (2_147_483_648, .known), (1001, nil), (70, nil)]
      as [(UInt32, UserStanding?)]
  )
  func entries(user: UInt32, standing: UserStanding?) throws {
    let fake = try Self.machine(
      passwd:
        "root:x:0:0::/:/bin/sh\n# 1001\nnonsense\nann:x:1000:1000:Ann:/home/ann:\nmost:x:2147483648:1:::\n"
    )
    #expect(fake.host.standing(of: user) == standing)
  }

  @Test("without a table nobody is known from it")
  func none() throws {
    #expect(try Self.machine().host.standing(of: 0) == nil)
    let fake = try Self.machine()
    try fake.pipe("/etc/passwd")
    #expect(fake.host.standing(of: 0) == nil)
  }

  @Test(
    "whoever lies in a range of another's is nobody, with an entry or without",
    arguments: [99_999: nil, 100_000: .subordinate, 165_535: .subordinate, 165_536: nil, 1000: .subordinate]
      as [UInt32: UserStanding?]
  )
  func ranges(user: UInt32, standing: UserStanding?) throws {
    let fake = try Self.machine(
      passwd: "ann:x:1000:1000:::\n",
      subuid: "ann:100000:65536\nroot:1000:1\n"
    )
    #expect(fake.host.standing(of: user) == standing)
  }

  @Test(
    "a line that is none says nothing, and those beside it count",
    arguments: [
      "ann", "ann:1000", "ann:1000:", "ann::5", "ann:1000:1:", "ann:x:5", "ann:1000:-1", "ann:-5:2000",
      "ann:1000:99999999999999999999", "# ann:1000:5", "\u{FFFD}", ":::",
    ]
  )
  func malformed(line: String) throws {
    let fake = try Self.machine(passwd: "ann:x:1000:1000:::\n", subuid: "\(line)\nbob:5000:10\n")
    #expect(fake.host.standing(of: 1000) == .known)
    #expect(fake.host.standing(of: 5009) == .subordinate)
  }

  @Test("a range beyond all ids has all from its beginning on")
  func endless() throws {
    let fake = try Self.machine(subuid: "ann:5000:18446744073709551615\nbob:18446744073709551615:5\n")
    #expect(fake.host.standing(of: 4999) == nil)
    #expect(fake.host.standing(of: 5000) == .subordinate)
    #expect(fake.host.standing(of: UInt32.max) == .subordinate)
  }

  @Test("where the ranges cannot be read, nobody can be told")
  func unreadable() throws {
    let fake = try Self.machine(passwd: "ann:x:1000:1000:::\n")
    try fake.pipe("/etc/subuid")
    #expect(fake.host.standing(of: 1000) == .undecided(EIO))
    let long = try Self.machine(subuid: String(repeating: "#", count: 1 << 20 + 1))
    #expect(long.host.standing(of: 1000) == .undecided(EIO))
  }

  @Test("the name services of this machine know root, and not everybody")
  func services() {
    #expect(UserStanding.byNameServices(0) == .known)
    #expect(UserStanding.byNameServices(3_999_999_999) == .unknown)
  }
}
