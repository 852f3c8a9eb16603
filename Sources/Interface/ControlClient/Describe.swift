public import ControlAPI
internal import Glibc
public import JSON
public import Time

/// Formats values for the user.
public enum Describe {
  public static func user(_ user: User?) -> SafeText {
    guard let user else { return "-" }
    let account = user.username ?? user.email ?? user.id
    return person([user.name?.given, user.name?.family], account)
  }

  public static func user(_ user: AuthenticationObject.Candidate) -> SafeText {
    person([user.given, user.family], user.username ?? user.email ?? user.id)
  }

  /// Returns the name, if there is one, and the account.
  private static func person(_ names: [String?], _ account: String) -> SafeText {
    let full = names.compactMap { $0 }.map { "\($0)" as SafeText }.joined(separator: " ")
    return full.text.isEmpty ? "\(account)" : "\(full) (\(account))"
  }

  public static func count(_ number: Int, _ one: SafeText, _ many: SafeText) -> SafeText {
    "\(number) \(number == 1 ? one : many)"
  }

  public static func optional(_ text: String?) -> SafeText { text.map { "\($0)" } ?? "-" }

  /// Formats a value of unknown shape: a text unchanged, anything else as JSON.
  public static func value(_ value: JSON) -> SafeText {
    switch value {
    case .null: "-"
    case .string(let text): "\(text)"
    case .bool(let flag): flag ? "yes" : "no"
    default: SafeText(value)
    }
  }

  /// Formats a number of bytes in the largest unit with a value of at least 1, with one decimal.
  public static func size(_ bytes: Int) -> SafeText {
    guard bytes >= 1024 else { return "\(bytes) B" }
    let units: [SafeText] = ["KiB", "MiB", "GiB"]
    var (tenths, unit) = (bytes / 1024 * 10 + bytes % 1024 * 10 / 1024, 0)
    while tenths >= 10_240, unit < units.count - 1 { (tenths, unit) = (tenths / 1024, unit + 1) }
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }

  /// Formats a duration in its two largest units.
  public static func duration(seconds: Int) -> SafeText {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60)
    if days > 0 { return "\(days) d \(hours) h" }
    if hours > 0 { return "\(hours) h \(minutes) min" }
    if minutes > 0 { return "\(minutes) min \(seconds % 60) s" }
    return "\(seconds) s"
  }

  public static func expiry(_ instant: Timestamp) -> SafeText {
    remaining(instant).map { "in \($0)" } ?? "expired"
  }

  /// Returns the time since an instant; `nil` if it is in the future.
  public static func age(of instant: Timestamp) -> SafeText? {
    let seconds = TimeSource.system.now().seconds(since: instant)
    return seconds >= 0 ? duration(seconds: seconds) : nil
  }

  /// Returns the time until an instant; `nil` if it has passed.
  public static func remaining(_ instant: Timestamp) -> SafeText? {
    let seconds = instant.seconds(since: TimeSource.system.now())
    return seconds > 0 ? duration(seconds: seconds) : nil
  }
}

extension Describe {
  /// Returns the issuer, name and user of an account, which distinguish it from the owner's other accounts.
  ///
  /// While its owner is locked, these are hidden, and the id takes their place.
  public static func account(_ account: Account, among all: [Account] = []) -> SafeText {
    let name: SafeText = account.label.isEmpty ? short(account.id) : name(of: account)
    return [issuer(of: account, among: all), name].compactMap(\.self).joined(separator: ", ")
  }

  /// Returns the text for a request's account; its id if it is not among these accounts.
  public static func account(of request: NotificationObject, among all: [Account]) -> SafeText {
    all.first { $0.id == request.account }.map { account($0, among: all) } ?? "\(request.account)"
  }

  /// Returns the name and user of an account; `-` while its owner is locked, because names are then hidden.
  public static func name(of account: Account) -> SafeText {
    guard !account.label.isEmpty else { return "-" }
    let name = account.nickname ?? account.label
    guard let user = account.user else { return "\(name)" }
    let names = [user.username, user.email, Describe.user(user).text]
    return names.contains(name) ? Describe.user(user) : "\(name), \(Describe.user(user))"
  }

  /// Returns the issuer, or for PingOne the geography, with the environment if the accounts have several.
  public static func issuer(of account: Account, among all: [Account]) -> SafeText? {
    if let issuer = account.issuer { return "\(issuer)" }
    guard account.kind == .pingOne || account.kind == .pingOneTOTP else { return nil }
    let environments = Set(all.compactMap(\.environment?.id))
    let environment = environments.count > 1 ? account.environment?.id.prefix(8) : nil
    let parts = ["PingOne", account.geography?.name, environment.map(String.init)].compactMap(\.self)
    return "\(parts.joined(separator: " "))"
  }

  /// Returns the beginning of an id, which is enough for a command.
  public static func short(_ id: String) -> SafeText { "\(id.prefix(8))" }
}

/// Formats the lock of an account for the user.
public enum LockText {
  /// Returns the reason and the remaining time.
  ///
  /// Example: `because too many requests were denied or ignored, for another 29 min 3 s`.
  public static func words(_ lock: AccountLock) -> SafeText {
    let name: SafeText =
      switch lock.policy {
      case "PUSH_LIMIT": "because too many requests were denied or ignored"
      case "DEVICE_BLOCKED": "because an administrator blocked this machine"
      default: "by the policy \(lock.policy)"
      }
    guard let end = lock.expiresAt else { return name }
    guard let left = Describe.remaining(end) else { return "\(name), until \(end)" }
    return "\(name), for another \(left)"
  }
}

extension Timestamp {
  /// The instant in local time, with its offset from UTC: `2026-11-21 04:00:00 -05:00`.
  ///
  /// Programs read `text`, which does not depend on the time zone.
  public var localText: String {
    var (instant, local) = (time_t(seconds), tm())
    guard localtime_r(&instant, &local) != nil, (0...9999).contains(Int(local.tm_year) + 1900) else {
      return text
    }
    let minutes = local.tm_gmtoff / 60
    let date = [Int(local.tm_year) + 1900, Int(local.tm_mon) + 1, Int(local.tm_mday)]
    let time = [local.tm_hour, local.tm_min, local.tm_sec].map { Int($0) }
    let offset = [abs(minutes) / 60, abs(minutes) % 60]
    return Self.joined(date, "-") + " " + Self.joined(time, ":") + (minutes < 0 ? " -" : " +")
      + Self.joined(offset, ":")
  }

  private static func joined(_ numbers: [Int], _ separator: String) -> String {
    numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: separator)
  }
}

extension SafeText {
  /// Takes a message of the daemon and converts its UTC instants to local time.
  public init(sentence: String) {
    let words = sentence.split(separator: " ", omittingEmptySubsequences: false).map { word -> SafeText in
      Timestamp(text: word).map { "\($0)" } ?? "\(word)"
    }
    self = words.joined(separator: " ")
  }
}
