internal import ControlClient
internal import Time
internal import Usage

/// A point in the past that the user types: an instant, a date, or a time before now.
enum PastTime {
  static let option = Option(
    "--since",
    takes: "TIME",
    "list nothing before TIME: 2026-11-21, 2026-11-21T09:00:00Z, or 90m, 12h, 7d before now"
  )

  /// Parses a time; a date means its beginning in UTC.
  static func read(_ text: String) -> Timestamp? {
    if let instant = Timestamp(text: text) ?? Timestamp(text: "\(text)T00:00:00Z") { return instant }
    let units: [Character: Int] = ["m": 60, "h": 3600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
      (0...1_000_000).contains(count)
    else { return nil }
    return TimeSource.system.now().adding(seconds: -count * unit)
  }
}

extension Session {
  /// The time of `--since`; `nil` if it is not given.
  var since: Timestamp? {
    get throws(Failure) { try option("--since", "a date, an instant or 90m, 12h, 7d", PastTime.read) }
  }
}
