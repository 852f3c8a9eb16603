import EventLoop
import Synchronization
import TestLoop
import Testing
import Time

@testable import Daemon

@Suite("Who calls")
struct CallerTests {
  @Test("users that nobody has are refused", arguments: [61_184, 61_185, 65_519, 65_534, 65_535, UInt32.max])
  func refused(uid: UInt32) {
    #expect(Caller(uid: uid, serviceUser: uid) == nil)
  }

  @Test(
    "everybody else is who they are",
    arguments: [0, 1, 999, 1000, 61_183, 65_520, 65_533, 65_536, UInt32.max - 1]
  )
  func accepted(uid: UInt32) {
    #expect(Caller(uid: uid, serviceUser: 0)?.uid == uid)
  }

  @Test("the service as a whole is for root and the user that it runs as")
  func service() {
    #expect(Caller(uid: 0, serviceUser: 990)?.mayServe == true)
    #expect(Caller(uid: 990, serviceUser: 990)?.mayServe == true)
    #expect(Caller(uid: 1000, serviceUser: 990)?.mayServe == false)
  }
}

@Suite("How often an owner may write")
struct WriteLimitsTests {
  @Test("a hundred at once, then twenty a second, each owner by themselves")
  func bucket() async throws {
    try await TestLoop.run {
      let uptime = Mutex(Duration.seconds(5))
      let time = TimeSource(now: { Timestamp(seconds: 0) }, uptime: { uptime.withLock { $0 } })
      let limits = WriteLimits(time: time)
      @EventLoop func writes(of owner: UInt32) -> Int {
        var count = 0
        while limits.waitBeforeWrite(of: owner) == nil, count < 1000 { count += 1 }
        return count
      }
      #expect(writes(of: 1000) == 100)
      #expect(limits.waitBeforeWrite(of: 1000) == 1)
      #expect(writes(of: 1001) == 100)
      for (passed, count) in [
        (.milliseconds(49), 0), (.milliseconds(1), 1), (.seconds(1), 20), (.seconds(3600), 100),
      ]
        as [(Duration, Int)]
      {
        uptime.withLock { $0 += passed }
        #expect(writes(of: 1000) == count, "\(passed)")
      }
    }
  }
}
