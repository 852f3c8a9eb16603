public import Time

/// A line of the journal in a form that cannot hold what came from outside.
///
/// Its texts are literals of the program; its values are numbers, literals and words of closed lists. A text that was
/// made while the program ran has no place in it, so no secret, name or path can come along.
public struct JournalEntry: Sendable {
  /// A value that is safe to tell.
  public enum Value: Sendable {
    case number(Int)
    /// A literal of the program.
    case literal(StaticString)
    /// The place of a word in its list.
    case word(any JournalWord.Type, Int)
  }

  /// When it was written.
  public let at: Timestamp
  /// How much it matters.
  public let level: Journal.Level
  public let message: StaticString
  /// Whom it concerns; `nil` for what concerns the service as a whole.
  public let owner: UInt32?
  /// The values that are safe to tell, by their names.
  public let fields: [(name: StaticString, value: Value)]

  /// An entry of a line, without those of its values that are not safe to tell.
  public init(at: Timestamp, _ level: Journal.Level, _ message: StaticString, _ fields: Journal.Fields = [:])
  {
    (self.at, self.level, self.message) = (at, level, message)
    // Who it concerns is told by a user id, the only number of its type; whose report it is need not say it.
    owner = fields.lazy.compactMap { $0.value as? UInt32 }.first
    self.fields = fields.compactMap { field in Value(field.value).map { (field.key, $0) } }
  }

  /// The entry as a line without its end.
  public var text: String {
    var text = "\(at.text) \(level.name) \(message)"
    for field in fields { text += " \(field.name)=\(field.value.text)" }
    return text
  }
}

extension JournalEntry.Value {
  /// The value, unless it is one of those that can be anything.
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

/// A word of the program's own vocabulary: one of a closed list, whatever came from outside.
///
/// Unlike text, such a word can be part of a report that leaves the machine.
public protocol JournalWord: CaseIterable, RawRepresentable<String>, CustomStringConvertible, Sendable {
}

extension JournalWord {
  public var description: String { rawValue }
}
