import Testing
import Time

@testable import Sandbox

@Suite("notification log")
struct NotificationLogTests {
  private static func push(_ id: String, at sequence: Int, until deadline: EndTime) -> Notification {
    Notification(
      id: ID(id),
      device: ID("d"),
      user: nil,
      kind: .silent,
      sequence: sequence,
      token: "",
      deadline: deadline,
      authentication: nil,
      number: nil,
      state: .pending,
      numberTriesLeft: 0
    )
  }

  @Test("expired notifications are returned once, in order of expiry")
  func expiry() throws {
    var clock = SandboxClock(TimeSource(now: { Timestamp(milliseconds: 0) }, uptime: { .zero }))
    var log = NotificationLog()
    let pushes = [("late", 30), ("soon", 10), ("answered", 5), ("next", 20)]
    for (sequence, (id, seconds)) in pushes.enumerated() {
      log.put(Self.push(id, at: sequence, until: clock.deadline(in: seconds)))
    }
    var answered = try #require(log[ID("answered")])
    answered.state = .approved
    log.put(answered)

    let found = [5, 9, 20, 20, 29, 30, 60].map { seconds in
      clock.lead = seconds
      return log.takeExpired(by: clock).map(\.id.text)
    }
    #expect(found == [[], [], ["soon", "next"], [], [], ["late"], []])
  }

  @Test("pending notifications of a stored log are found")
  func kept() {
    var clock = SandboxClock(TimeSource(now: { Timestamp(milliseconds: 0) }, uptime: { .zero }))
    var log = NotificationLog()
    log.shelf.put(Self.push("kept", at: 0, until: clock.deadline(in: 5)))
    log.findPending()
    clock.lead = 5
    #expect(log.takeExpired(by: clock).map(\.id.text) == ["kept"])
  }
}
