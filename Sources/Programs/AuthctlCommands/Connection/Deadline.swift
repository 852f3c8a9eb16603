internal import Time

/// When a wait ends.
struct Deadline: Sendable {
  /// By the clock that counts since boot; `nil` for never.
  private let end: Duration?

  static let never = Deadline(end: nil)

  static func after(_ duration: Duration) -> Deadline {
    Deadline(end: TimeSource.system.uptime() + duration)
  }

  /// Whichever comes first, this or the end of a duration from now.
  func orAfter(_ duration: Duration) -> Deadline {
    let other = TimeSource.system.uptime() + duration
    return Deadline(end: min(end ?? other, other))
  }

  /// What poll(2) takes: the milliseconds that are left, -1 for no end.
  var milliseconds: Int32 {
    guard let end else { return -1 }
    let left = end - TimeSource.system.uptime()
    return left <= .zero ? 0 : Int32(clamping: left.millisecondsRoundedUp)
  }

  /// Whether it is over.
  var hasPassed: Bool { milliseconds == 0 }
}
