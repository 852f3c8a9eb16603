internal import JSON
internal import Time

/// How values of the control API are written for a person.
enum Describe {
  /// A person: the name if there is one, and what tells the account.
  static func user(_ user: JSON?) -> SafeText {
    guard let user else { return "-" }
    let names = [user["name"]?["given"] ?? user["given"], user["name"]?["family"] ?? user["family"]]
    let full = names.compactMap { $0?.string }.map { "\($0)" as SafeText }.joined(separator: " ")
    let account = [user["username"], user["email"], user["id"], user["userId"]].lazy
      .compactMap { $0?.string }.first
    guard let account else { return full.text.isEmpty ? "-" : full }
    return full.text.isEmpty ? "\(account)" : "\(full) (\(account))"
  }

  /// A number of things, in the singular or the plural.
  static func count(_ number: JSON?, _ one: SafeText, _ many: SafeText) -> SafeText {
    "\(value(number)) \(number == 1 ? one : many)"
  }

  /// A value of unknown shape: a text as it is, anything else as JSON.
  static func value(_ value: JSON?) -> SafeText {
    switch value {
    case nil, .null: "-"
    case .string(let text)?: "\(text)"
    case .bool(let flag)?: flag ? "yes" : "no"
    case let value?: SafeText(value)
    }
  }

  /// A number of bytes in the largest unit that leaves a whole number, one decimal kept.
  static func size(_ bytes: JSON?) -> SafeText {
    guard let count = bytes?.int, count >= 1024 else { return "\(value(bytes)) B" }
    let units: [SafeText] = ["KiB", "MiB", "GiB"]
    var (tenths, unit) = (count * 10 / 1024, 0)
    while tenths >= 10_240, unit < units.count - 1 { (tenths, unit) = (tenths / 1024, unit + 1) }
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }

  /// A length of time in its two largest units.
  static func duration(seconds: Int) -> SafeText {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60)
    if days > 0 { return "\(days) d \(hours) h" }
    if hours > 0 { return "\(hours) h \(minutes) min" }
    if minutes > 0 { return "\(minutes) min \(seconds % 60) s" }
    return "\(seconds) s"
  }

  /// How long it is until an instant.
  static func expiry(_ instant: JSON?, now: Timestamp = TimeSource.system.now()) -> SafeText {
    guard let text = instant?.string, Timestamp(text: text) != nil else { return value(instant) }
    return remaining(instant, now: now).map { "in \($0)" } ?? "expired"
  }

  /// The time until an instant; `nil` if it is over or none.
  static func remaining(_ instant: JSON?, now: Timestamp = TimeSource.system.now()) -> SafeText? {
    guard let text = instant?.string, let end = Timestamp(text: text) else { return nil }
    let seconds = end.seconds(since: now)
    return seconds > 0 ? duration(seconds: seconds) : nil
  }
}
