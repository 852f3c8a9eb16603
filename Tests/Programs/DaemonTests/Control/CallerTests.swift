import Testing

@testable import Daemon

@Suite("callers")
struct CallerTests {
  @Test("reserved user ids are rejected", arguments: [61_184, 61_185, 65_519, 65_534, 65_535, UInt32.max])
  func refused(uid: UInt32) {
    #expect(Caller(uid: uid, serviceUser: uid) == nil)
  }

  @Test(
    "every other user id is accepted",
    arguments: [0, 1, 999, 1000, 61_183, 65_520, 65_533, 65_536, UInt32.max - 1]
  )
  func accepted(uid: UInt32) {
    #expect(Caller(uid: uid, serviceUser: 0)?.uid == uid)
  }

  @Test("service methods are allowed for root and the service user")
  func service() {
    #expect(Caller(uid: 0, serviceUser: 990)?.mayServe == true)
    #expect(Caller(uid: 990, serviceUser: 990)?.mayServe == true)
    #expect(Caller(uid: 1000, serviceUser: 990)?.mayServe == false)
  }
}
