import Glibc
import Testing

@testable import Machine

@Suite("User lookup")
struct UserLookupResultTests {
  private static func machine(passwd: String? = nil, subuid: String? = nil) throws -> FakeHost {
    let fake = try FakeHost()
    try fake.directory("/etc")
    if let passwd { try fake.file("/etc/passwd", passwd) }
    if let subuid { try fake.file("/etc/subuid", subuid) }
    return fake
  }

  @Test(
    "a uid in /etc/passwd is known; another one is left to the name services",
    arguments: [(0, .known), (1000, .known), (2_147_483_648, .known), (1001, nil), (70, nil)]
      as [(UInt32, UserLookupResult?)]
  )
  func entries(user: UInt32, standing: UserLookupResult?) throws {
    let fake = try Self.machine(
      passwd:
        "root:x:0:0::/:/bin/sh\n# 1001\nnonsense\nann:x:1000:1000:Ann:/home/ann:\nmost:x:2147483648:1:::\n"
    )
    #expect(fake.host.standing(of: user) == standing)
  }

  @Test("lookup has no result without a readable /etc/passwd")
  func none() throws {
    #expect(try Self.machine().host.standing(of: 0) == nil)
    let fake = try Self.machine()
    try fake.pipe("/etc/passwd")
    #expect(fake.host.standing(of: 0) == nil)
  }

  @Test(
    "a uid in a range of /etc/subuid is subordinate, even with a passwd entry",
    arguments: [99_999: nil, 100_000: .subordinate, 165_535: .subordinate, 165_536: nil, 1000: .subordinate]
      as [UInt32: UserLookupResult?]
  )
  func ranges(user: UInt32, standing: UserLookupResult?) throws {
    let fake = try Self.machine(
      passwd: "ann:x:1000:1000:::\n",
      subuid: "ann:100000:65536\nroot:1000:1\n"
    )
    #expect(fake.host.standing(of: user) == standing)
  }

  @Test(
    "a malformed subuid line is ignored and the other lines apply",
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

  @Test("a subuid range beyond the largest uid covers all uids from its start")
  func endless() throws {
    let fake = try Self.machine(subuid: "ann:5000:18446744073709551615\nbob:18446744073709551615:5\n")
    #expect(fake.host.standing(of: 4999) == nil)
    #expect(fake.host.standing(of: 5000) == .subordinate)
    #expect(fake.host.standing(of: UInt32.max) == .subordinate)
  }

  @Test("lookup is undecided if /etc/subuid cannot be read")
  func unreadable() throws {
    let fake = try Self.machine(passwd: "ann:x:1000:1000:::\n")
    try fake.pipe("/etc/subuid")
    #expect(fake.host.standing(of: 1000) == .undecided(EIO))
    let long = try Self.machine(subuid: String(repeating: "#", count: 1 << 20 + 1))
    #expect(long.host.standing(of: 1000) == .undecided(EIO))
  }

  @Test("name services know root and do not know an unused uid")
  func services() {
    #expect(UserLookupResult.byNameServices(0) == .known)
    #expect(UserLookupResult.byNameServices(3_999_999_999) == .unknown)
  }
}
