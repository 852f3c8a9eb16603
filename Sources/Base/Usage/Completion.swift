/// What may stand at the end of a command line that is being typed.
package struct Completion {
  private let commands: [CompletedCommand]
  private let typed: String
  private var words: [String] = []
  private var given: [String: [String]] = [:]
  private var wanted: Option?

  /// Takes the words after the program's name, the last of which is being typed.
  package init(_ words: [String], of commands: [CompletedCommand]) {
    self.commands = commands
    typed = words.last ?? ""
    for word in words.dropLast() { take(word) }
  }

  /// Takes a word that is finished; what is wrong with it will be told when the line is carried out.
  private mutating func take(_ word: String) {
    if let option = wanted {
      given[option.name, default: []].append(word)
      wanted = nil
    } else if word.hasPrefix("-"), word != "-" {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard let option = options.first(where: { $0.names.contains(parts[0]) }) else { return }
      if option.value != nil, parts.count == 1 {
        wanted = option
      } else {
        given[option.name, default: []].append(parts.count == 2 ? parts[1] : "")
      }
    } else {
      words.append(word)
    }
  }

  /// The one with the longest name that stands there.
  private var command: CompletedCommand? {
    commands.filter { words.starts(with: $0.name) }.max { $0.name.count < $1.name.count }
  }

  private var options: [Option] { command?.options ?? [] }

  /// The words that fit.
  package var candidates: [Candidate] {
    let all: [Candidate]
    if let wanted {
      all = wanted.choices.map { Candidate($0) }
    } else if typed.hasPrefix("-") {
      all = options.filter { $0.repeats || given[$0.name] == nil }
        .map { Candidate($0.name, $0.help.split(separator: "\n").joined(separator: " ")) }
    } else {
      all = nextWords + operands
    }
    return all.filter { $0.word.hasPrefix(typed) }
  }

  /// The next words of commands whose first words stand there already.
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
