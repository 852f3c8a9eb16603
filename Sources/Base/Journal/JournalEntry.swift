public import Time

/// A line of the journal, in a form that cannot contain text from outside the program.
///
/// Its texts are literals of the program. Its values are numbers, literals and words of closed lists. The
/// entry omits text that is composed at run time, because such text can contain a secret, name or path.
public struct JournalEntry: Sendable {
  /// A value that may be disclosed.
  public enum Value: Sendable {
    case number(Int)
    /// A literal of the program.
    case literal(StaticString)
    /// A word of a closed list: the list, and the index of the word in it.
    case word(any JournalWord.Type, Int)
  }

  /// The time at which the line was written.
  public let at: Timestamp
  /// The severity.
  public let level: Journal.Level
  public let message: StaticString
  /// The user id of the owner that the line concerns; `nil` if it concerns the whole service.
  public let owner: UInt32?
  /// The fields that may be disclosed.
  public let fields: [(name: StaticString, value: Value)]

  /// Creates an entry without the fields that must not be disclosed.
  public init(at: Timestamp, _ level: Journal.Level, _ message: StaticString, _ fields: Journal.Fields = [:])
  {
    (self.at, self.level, self.message) = (at, level, message)
    // Only the owner's user id has type UInt32. The entry's text omits it, because a report contains only
    // entries of one owner and of the service.
    owner = fields.lazy.compactMap { $0.value as? UInt32 }.first
    self.fields = fields.compactMap { field in Value(field.value).map { (field.key, $0) } }
  }

  /// The entry as a line without a line terminator.
  public var text: String {
    var text = "\(at.text) \(level.name) \(message)"
    for field in fields { text += " \(field.name)=\(field.value.text)" }
    return text
  }
}

extension JournalEntry.Value {
  /// Creates a value; `nil` if it could contain arbitrary text.
  init?(_ value: any CustomStringConvertible & Sendable) {
    switch value {
    case let number as Int: self = .number(number)
    case let literal as StaticString: self = .literal(literal)
    case let word as any JournalWord:
      guard let known = Self.known(word) else { return nil }
      self = known
    default: return nil
    }
  }

  private static func known<Word: JournalWord>(_ word: Word) -> Self? {
    Array(Word.allCases).firstIndex { $0.rawValue == word.rawValue }.map { .word(Word.self, $0) }
  }

  /// The value as text.
  fileprivate var text: String {
    switch self {
    case .number(let number): String(number)
    case .literal(let literal): Journal.safe(literal.description)
    case .word(let list, let place): Self.text(list, place)
    }
  }

  private static func text<Word: JournalWord>(_ list: Word.Type, _ place: Int) -> String {
    Journal.safe(Array(list.allCases)[place].rawValue)
  }
}

extension Journal.Level {
  fileprivate var name: StaticString {
    switch self {
    case .error: "error"
    case .warning: "warning"
    case .info: "info"
    case .debug: "debug"
    }
  }
}

/// A word of a closed list of the program, independent of external input.
///
/// Unlike text, such a word may be part of a report that leaves the machine.
public protocol JournalWord: CaseIterable, RawRepresentable<String>, CustomStringConvertible, Sendable {
}

extension JournalWord {
  public var description: String { rawValue }
}
