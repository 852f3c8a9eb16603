internal import Text

/// The options of a command line with their values, and the remaining words.
public struct Arguments: Sendable {
  /// The words that are not options, in their order.
  public internal(set) var words: [String] = []
  private var given: [(option: String, value: String)] = []

  public init() {}

  /// Adds an option by its long name; the value of a flag is empty.
  mutating func add(_ option: String, _ value: String) { given.append((option, value)) }

  /// Returns the value of an option; `nil` if it is not given.
  public subscript(_ option: String) -> String? { all(option).last }

  /// True if the option is given.
  public func has(_ option: String) -> Bool { given.contains { $0.option == option } }

  /// Returns all values of a repeatable option.
  public func all(_ option: String) -> [String] {
    given.filter { $0.option == option }.map(\.value)
  }

  /// Returns all values of an option, converted by `read`.
  ///
  /// An error quotes the value only if `mayBeShown` is true.
  public func all<Value>(
    _ option: String,
    _ expected: String,
    mayBeShown: Bool = true,
    _ read: (String) -> Value?
  ) throws(UsageError) -> [Value] {
    var values: [Value] = []
    for text in all(option) {
      guard let value = read(text) else {
        throw UsageError("\(option) takes \(expected)" + (mayBeShown ? ", not \"\(text)\"" : ""))
      }
      values.append(value)
    }
    return values
  }

  /// Returns the value of an option, converted by `read`; `nil` if it is not given.
  public func value<Value>(
    _ option: String,
    _ expected: String,
    mayBeShown: Bool = true,
    _ read: (String) -> Value?
  ) throws(UsageError) -> Value? {
    try all(option, expected, mayBeShown: mayBeShown, read).last
  }

  /// Returns the given options of this list with their values, in their order.
  public func all(of options: String...) -> [(option: String, value: String)] {
    given.filter { options.contains($0.option) }
  }
}

/// Parses a command line, given a list of the allowed options.
public struct ArgumentReader {
  public private(set) var arguments = Arguments()
  /// The words that are not read yet.
  public var rest: ArraySlice<String>
  private let count: Int

  /// Creates a reader of the words after the program's name.
  public init(_ words: ArraySlice<String>) { (rest, count) = (words, words.count) }

  /// Reads the options before the first word that is not an option.
  public mutating func readLeadingOptions(_ known: [Option]) throws(UsageError) {
    while let word = rest.first, word != "--", Self.isOption(word) {
      rest.removeFirst()
      _ = try readOption(word, known)
    }
  }

  /// Reads all remaining words.
  ///
  /// After `--` no word is an option.
  ///
  /// `commands`: names to suggest in the error for a surplus word, which may be a misspelt command.
  public mutating func readAll(
    _ known: [Option],
    maximumWords: Int = .max,
    commands: [String] = []
  ) throws(UsageError) {
    /// The option to which the previous word belongs.
    var last: Option?
    var hasOptions = true
    while let word = rest.popFirst() {
      if hasOptions, word == "--" {
        hasOptions = false
      } else if hasOptions, Self.isOption(word) {
        last = try readOption(word, known)
      } else if arguments.words.count < maximumWords {
        arguments.words.append(word)
        last = nil
      } else {
        throw misplaced(word, after: last, known.map(\.name) + commands)
      }
    }
  }

  /// True if the word begins with a hyphen and another character that is not a digit.
  ///
  /// A single hyphen means a file, and a hyphen before a digit is a minus sign.
  private static func isOption(_ word: String) -> Bool {
    word.hasPrefix("-") && word.dropFirst().first.map { !$0.isNumber } ?? false
  }

  private mutating func readOption(_ word: String, _ known: [Option]) throws(UsageError) -> Option {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
      String.init
    )
    guard let option = known.first(where: { $0.names.contains(parts[0]) }) else {
      throw unknown(parts[0], known.map(\.name))
    }
    guard option.repeats || !arguments.has(option.name) else {
      throw UsageError("\(option.name) is given twice")
    }
    arguments.add(option.name, try value(of: option, parts.count == 2 ? parts[1] : nil))
    return option
  }

  private mutating func value(of option: Option, _ attached: String?) throws(UsageError) -> String {
    guard let placeholder = option.value else {
      guard attached == nil else { throw UsageError("\(option.name) takes no value") }
      return ""
    }
    let next = rest.first.flatMap { $0.hasPrefix("--") ? nil : $0 }
    if attached == nil, next != nil { rest.removeFirst() }
    guard let value = attached ?? next, !value.isEmpty else {
      throw UsageError("\(option.name) needs a value: \(option.name) \(placeholder)")
    }
    return value
  }

  /// Returns the error for a surplus word; the word may be a secret, so it is quoted only if it looks like an
  /// option.
  private func misplaced(_ word: String, after last: Option?, _ names: [String]) -> UsageError {
    if let last {
      return UsageError("\(last.name) takes \(last.value == nil ? "no" : "one") value")
    }
    return unknown(word, names)
  }

  /// Returns the error for an unknown word, and quotes the word only if it looks like an option.
  private func unknown(_ name: String, _ names: [String]) -> UsageError {
    let isLong = name.hasPrefix("--") && name.allSatisfy { $0 == "-" || $0.isASCII && $0.isLowercase }
    let isOption = isLong || name.hasPrefix("-") && name.count == 2
    return UsageError(
      isOption ? "no option \"\(name)\"" : "unknown argument \(count - rest.count)",
      hint: names.nearest(to: name).map { "did you mean \($0)?" }
    )
  }
}

/// A wrong command line: the problem and a suggestion.
public struct UsageError: Error, Equatable, CustomStringConvertible {
  public let description: String
  public let hint: String?

  public init(_ description: String, hint: String? = nil) {
    (self.description, self.hint) = (description, hint)
  }
}
