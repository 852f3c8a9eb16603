import Testing

@testable import Daemon

@Suite("connection timeouts")
struct ConnectionTimeoutsTests {
  private var patience = ConnectionTimeouts(at: .zero)

  private mutating func isOver(
    _ seconds: Int,
    isStuck: Bool = false,
    takenCount: Int = 0,
    isUsed: Bool = false
  ) -> Bool {
    patience.isExceeded(at: .seconds(seconds), isStuck: isStuck, takenCount: takenCount, isUsed: isUsed)
  }

  @Test("an unused connection is closed after ten minutes")
  mutating func unused() {
    #expect(!isOver(600))
    #expect(isOver(601))
    patience.noteUse(at: .seconds(601))
    #expect(!isOver(1201))
    #expect(isOver(1202))
  }

  @Test("a connection with a pending request or subscription is not closed")
  mutating func used() {
    #expect(!isOver(100_000, isUsed: true))
    #expect(isOver(100_001))
  }

  @Test("a client that reads nothing for thirty seconds is closed, also with a subscription")
  mutating func stuck() {
    #expect(!isOver(5, isStuck: true, isUsed: true))
    #expect(!isOver(35, isStuck: true, isUsed: true))
    #expect(isOver(36, isStuck: true, isUsed: true))
  }

  @Test("the thirty seconds start when output waits, not at the last activity")
  mutating func quietBefore() {
    #expect(!isOver(400, isUsed: true))
    #expect(!isOver(401, isStuck: true, isUsed: true))
    #expect(!isOver(431, isStuck: true, isUsed: true))
    #expect(isOver(432, isStuck: true, isUsed: true))
  }

  @Test("reading some or all of the output restarts the thirty seconds")
  mutating func progress() {
    #expect(!isOver(10, isStuck: true, takenCount: 1))
    #expect(!isOver(39, isStuck: true, takenCount: 2))
    #expect(!isOver(69, isStuck: true, takenCount: 2))
    #expect(isOver(70, isStuck: true, takenCount: 2))
    #expect(!isOver(71))
    #expect(!isOver(72, isStuck: true, takenCount: 2))
  }
}
