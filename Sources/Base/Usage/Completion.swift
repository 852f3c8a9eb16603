/// The candidates for the last, incomplete word of a command line.
public struct Completion {
  private let commands: [CompletedCommand]
  private let typed: String
  private var given = Arguments()
  private var wanted: Option?

  /// Reads the words after the program's name; the last one is incomplete.
  public init(_ words: [String], of commands: [CompletedCommand]) {
    self.commands = commands
    typed = words.last ?? ""
    for word in words.dropLast() { take(word) }
  }

  /// Reads a complete word; errors are not reported here, but when the command is run.
  private mutating func take(_ word: String) {
    if let option = wanted {
      given.add(option.name, word)
      wanted = nil
    } else if word.hasPrefix("-"), word != "-" {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard let option = options.first(where: { $0.names.contains(parts[0]) }) else { return }
      if option.value != nil, parts.count == 1 {
        wanted = option
      } else {
        given.add(option.name, parts.count == 2 ? parts[1] : "")
      }
    } else {
      given.words.append(word)
    }
  }

  private var words: [String] { given.words }

  /// The command with the longest name at the start of the given words.
  private var command: CompletedCommand? {
    commands.filter { words.starts(with: $0.name) }.max { $0.name.count < $1.name.count }
  }

  private var options: [Option] { command?.options ?? [] }

  /// The words that complete the command line.
  public var candidates: [Candidate] {
    let all: [Candidate]
    if let wanted {
      all = wanted.choices.map { Candidate($0) }
    } else if typed.hasPrefix("-") {
      all = options.filter { $0.repeats || !given.has($0.name) }
        .map { Candidate($0.name, $0.help.split(separator: "\n").joined(separator: " ")) }
    } else {
      all = nextWords + operands
    }
    return all.filter { $0.word.hasPrefix(typed) }
  }

  /// The next word of each command with a name that begins with the given words.
  private var nextWords: [Candidate] {
    var found: [Candidate] = []
    for command in commands where command.name.count > words.count && command.name.starts(with: words) {
      let word = command.name[words.count]
      if !found.contains(where: { $0.word == word }) { found.append(Candidate(word, command.meaning)) }
    }
    return found
  }

  private var operands: [Candidate] {
    guard let command, words.count == command.name.count else { return [] }
    return command.operands(given)
  }
}

/// A candidate for the next word, and its meaning.
public struct Candidate: Sendable, Equatable {
  public let word: String
  public let meaning: String

  public init(_ word: String, _ meaning: String = "") { (self.word, self.meaning) = (word, meaning) }
}

/// A command's name, options and operands for completion.
public struct CompletedCommand {
  /// The words of the command's name; empty for the program itself.
  let name: [String]
  let meaning: String
  let options: [Option]
  /// Returns the candidates for the command's first argument; they may depend on the given options.
  let operands: (Arguments) -> [Candidate]

  public init(
    _ name: [String],
    _ meaning: String,
    _ options: [Option],
    operands: @escaping (Arguments) -> [Candidate] = { _ in [] }
  ) { (self.name, self.meaning, self.options, self.operands) = (name, meaning, options, operands) }
}

extension ProgramUsage {
  /// Returns the candidates for the last, incomplete word of a command line.
  public func candidates(for words: [String]) -> [Candidate] {
    Completion(words, of: [itself] + (startsWithOption(words) ? [] : commands.map(\.completed))).candidates
  }

  /// True if the first word is an option; then no command can follow, because a command must be the first.
  private func startsWithOption(_ words: [String]) -> Bool {
    words.dropLast().first?.hasPrefix("-") ?? false
  }

  private var itself: CompletedCommand {
    CompletedCommand([], summary, options) { _ in choices.map { Candidate($0) } }
  }
}

extension ProgramCommand {
  fileprivate var completed: CompletedCommand {
    CompletedCommand([name], usage.summary, usage.options) { _ in usage.choices.map { Candidate($0) } }
  }
}
