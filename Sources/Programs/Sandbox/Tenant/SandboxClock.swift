import Time

/// When something ends, on the clock that `POST /sandbox/clock` moves.
struct Deadline: Codable, Hashable { let instant: Timestamp }

/// The sandbox's two times: the real one, for proofs and for what is signed, and the moved one, for what ends.
struct SandboxClock: Sendable {
  private let source: TimeSource
  /// How far the moved time is ahead, in seconds.
  var lead = 0

  /// How far the platform's own clock is off, by which it checks passcodes and dates what it sends.
  var skew = 0

  init(_ source: TimeSource, lead: Int = 0) {
    self.source = source
    self.lead = lead
  }

  var now: Timestamp { source.now() }

  var passcodeTime: Timestamp { now.adding(seconds: skew) }

  var present: Deadline { deadline(in: 0) }

  func deadline(in seconds: Int) -> Deadline { Deadline(instant: now.adding(seconds: lead + seconds)) }

  func isOver(_ deadline: Deadline) -> Bool { now.adding(seconds: lead) >= deadline.instant }

  /// When a deadline is by the real clock, if nobody moves the other any further.
  func instant(of deadline: Deadline) -> Timestamp { deadline.instant.adding(seconds: -lead) }
}
