import Glibc
import Synchronization
internal import Time

/// The program's log: lines on standard error with systemd's `<n>` priority and `key=value` fields.
///
/// On a terminal the lines have no priority.
///
/// A message is a literal of the program, so that input cannot become a message. Values are truncated, and
/// all characters except printable ASCII are replaced.
public enum Journal {
  /// Severity of a line; the raw value is the priority of sd-daemon(3).
  public enum Level: Int, CaseIterable, Sendable {
    case error = 3
    case warning = 4
    case info = 6
    case debug = 7
  }

  /// The minimum severity; less urgent lines are not written.
  public static var level: Level {
    get { Level(rawValue: threshold.load(ordering: .relaxed)) ?? .info }
    set { threshold.store(newValue.rawValue, ordering: .relaxed) }
  }

  private static let threshold = Atomic<Int>(Level.info.rawValue)

  /// Writes a line about an unexpected failure.
  public static func error(_ message: StaticString, _ fields: Fields = [:]) {
    log(.error, message, fields)
  }

  /// Writes a line about a condition that an administrator should check.
  public static func warning(_ message: StaticString, _ fields: Fields = [:]) {
    log(.warning, message, fields)
  }

  /// Writes a line about normal operation.
  public static func info(_ message: StaticString, _ fields: Fields = [:]) { log(.info, message, fields) }

  /// Writes a line that any client can cause repeatedly; the rate is limited, and omitted lines are counted.
  public static func limitedInfo(_ message: StaticString, _ fields: Fields = [:]) {
    log(.info, message, fields, isLimited: true)
  }

  /// Writes a line for debugging.
  public static func debug(_ message: StaticString, _ fields: Fields = [:]) { log(.debug, message, fields) }

  /// The fields of a line by name.
  public typealias Fields = KeyValuePairs<StaticString, any CustomStringConvertible & Sendable>

  private static let memory = JournalMemory(capacity: 512)

  /// Returns the recent entries that concern an owner or the whole service, oldest first.
  ///
  /// The entries contain only values that may leave the machine.
  public static func recent(of owner: UInt32) -> [JournalEntry] {
    memory.entries.filter { $0.owner == nil || $0.owner == owner }
  }

  private static func log(
    _ level: Level,
    _ message: StaticString,
    _ fields: Fields,
    isLimited: Bool = false
  ) {
    memory.remember(JournalEntry(at: TimeSource.system.now(), level, message, fields))
    guard level.rawValue <= threshold.load(ordering: .relaxed) else { return }
    // Errors and warnings are limited too. At level debug, no line is limited.
    let isLimited = (isLimited || level.rawValue <= Level.warning.rawValue) && self.level != .debug
    writer.withLock { $0.write(level, message, fields, at: TimeSource.system.uptime(), isLimited: isLimited) }
  }

  private static let writer = Mutex(JournalWriter(JournalOutput(STDERR_FILENO)))

  private static let maximumValueLength = 200

  /// Returns the value, truncated, with all characters except printable ASCII replaced, quoted if necessary.
  static func safe(_ value: String) -> String {
    var text = ""
    var quoted = value.isEmpty
    for scalar in value.unicodeScalars.prefix(maximumValueLength) {
      switch scalar {
      case "\"", "\\", "=", " ":
        quoted = true
        text.unicodeScalars.append(scalar == "\"" || scalar == "\\" ? "'" : scalar)
      case "!"..."~": text.unicodeScalars.append(scalar)
      default: text += "?"
      }
    }
    return quoted ? "\"\(text)\"" : text
  }
}
