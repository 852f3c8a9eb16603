package import ControlAPI
package import JSON
package import Time

/// How values are written for a person.
package enum Describe {
  package static func user(_ user: User?) -> SafeText {
    guard let user else { return "-" }
    let account = user.username ?? user.email ?? user.id
    return person([user.name?.given, user.name?.family], account)
  }

  package static func user(_ user: AuthenticationObject.Candidate) -> SafeText {
    person([user.given, user.family], user.username ?? user.email ?? user.id)
  }

  /// The name if there is one, and what tells the account.
  private static func person(_ names: [String?], _ account: String) -> SafeText {
    let full = names.compactMap { $0 }.map { "\($0)" as SafeText }.joined(separator: " ")
    return full.text.isEmpty ? "\(account)" : "\(full) (\(account))"
  }

  package static func count(_ number: Int, _ one: SafeText, _ many: SafeText) -> SafeText {
    "\(number) \(number == 1 ? one : many)"
  }

  package static func optional(_ text: String?) -> SafeText { text.map { "\($0)" } ?? "-" }

  /// A value of unknown shape: a text as it is, anything else as JSON.
  package static func value(_ value: JSON) -> SafeText {
    switch value {
    case .null: "-"
    case .string(let text): "\(text)"
    case .bool(let flag): flag ? "yes" : "no"
    default: SafeText(value)
    }
  }

  /// A number of bytes in the largest unit that leaves a whole number, one decimal kept.
  package static func size(_ bytes: Int) -> SafeText {
    guard bytes >= 1024 else { return "\(bytes) B" }
    let units: [SafeText] = ["KiB", "MiB", "GiB"]
    var (tenths, unit) = (bytes / 1024 * 10 + bytes % 1024 * 10 / 1024, 0)
    while tenths >= 10_240, unit < units.count - 1 { (tenths, unit) = (tenths / 1024, unit + 1) }
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }

  /// A length of time in its two largest units.
  package static func duration(seconds: Int) -> SafeText {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60)
    if days > 0 { return "\(days) d \(hours) h" }
    if hours > 0 { return "\(hours) h \(minutes) min" }
    if minutes > 0 { return "\(minutes) min \(seconds % 60) s" }
    return "\(seconds) s"
  }

  package static func expiry(_ instant: Timestamp) -> SafeText {
    remaining(instant).map { "in \($0)" } ?? "expired"
  }

  /// The time since an instant; `nil` if it is still to come.
  package static func age(of instant: Timestamp) -> SafeText? {
    let seconds = TimeSource.system.now().seconds(since: instant)
    return seconds >= 0 ? duration(seconds: seconds) : nil
  }

  /// The time until an instant; `nil` if it is over.
  package static func remaining(_ instant: Timestamp) -> SafeText? {
    let seconds = instant.seconds(since: TimeSource.system.now())
    return seconds > 0 ? duration(seconds: seconds) : nil
  }
}
