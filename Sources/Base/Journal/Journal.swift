import Glibc
import Synchronization
internal import Time

/// The program's own log: lines on standard error with systemd's `<n>` priority, `key=value`.
///
/// A message is a literal, so that no input can become one; values are cut and made safe.
public enum Journal {
  /// How much a line matters; `rawValue` is the priority of sd-daemon(3).
  public enum Level: Int, CaseIterable, Sendable {
    case error = 3
    case warning = 4
    case info = 6
    case debug = 7
  }

  /// Lines less urgent than this are not written.
  public static var level: Level {
    get { Level(rawValue: threshold.load(ordering: .relaxed)) ?? .info }
    set { threshold.store(newValue.rawValue, ordering: .relaxed) }
  }

  private static let threshold = Atomic<Int>(Level.info.rawValue)

  /// Writes a line that says that something failed which should not.
  public static func error(_ message: StaticString, _ fields: Fields = [:]) {
    log(.error, message, fields)
  }

  /// Writes a line that somebody should look at.
  public static func warning(_ message: StaticString, _ fields: Fields = [:]) {
    log(.warning, message, fields)
  }

  /// Writes a line about the ordinary course.
  public static func info(_ message: StaticString, _ fields: Fields = [:]) { log(.info, message, fields) }

  /// The same of what anybody can bring about again and again: so many of these lines are written, the rest is counted.
  public static func limitedInfo(_ message: StaticString, _ fields: Fields = [:]) {
    log(.info, message, fields, isLimited: true)
  }

  /// Writes a line for whoever looks for a fault.
  public static func debug(_ message: StaticString, _ fields: Fields = [:]) { log(.debug, message, fields) }

  /// The values of a line by their names.
  public typealias Fields = KeyValuePairs<StaticString, any CustomStringConvertible & Sendable>

  private static let memory = JournalMemory(capacity: 512)

  /// What was written lately, the oldest first, as far as it may leave the machine: what concerns an owner, and what
  /// concerns the service as a whole.
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
    // Whoever looks for a fault wants to see everything.
    let isLimited = (isLimited || level.rawValue <= Level.warning.rawValue) && self.level != .debug
    writer.withLock { $0.write(level, message, fields, at: TimeSource.system.uptime(), isLimited: isLimited) }
  }

  private static let writer = Mutex(JournalWriter(JournalOutput(STDERR_FILENO)))

  private static let maximumValueLength = 200

  /// The value with everything but printable ASCII replaced, cut, and quoted if it has spaces.
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
