internal import ControlClient

/// What may stand at the end of a command line that is being typed.
struct Completion {
  private let typed: String
  private var arguments = Arguments()
  private var wanted: Option?
  private var isHelp = false

  /// How long the daemon may take: somebody waits at every key.
  private static let limit = Duration.seconds(1)

  /// Takes the words after the program's name, the last of which is being typed.
  init(_ words: [String]) {
    typed = words.last ?? ""
    for word in words.dropLast() { take(word) }
    // What is explained is named as what is carried out.
    if arguments.words.first == "help" {
      (isHelp, arguments.words) = (true, Array(arguments.words.dropFirst()))
    }
  }

  /// Takes a word that is finished; what is wrong with it will be told when the line is carried out.
  private mutating func take(_ word: String) {
    if let option = wanted {
      arguments.options[option.name, default: []].append(word)
      wanted = nil
    } else if word.hasPrefix("-"), word != "-" {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard let option = options.first(where: { $0.name == parts[0] || $0.short == parts[0] }) else { return }
      if option.value != nil, parts.count == 1 {
        wanted = option
      } else {
        arguments.options[option.name, default: []].append(parts.count == 2 ? parts[1] : "")
      }
    } else {
      arguments.words.append(word)
    }
  }

  /// The command, of two words if there is one, and how many words are its name.
  private var command: (command: Command, words: Int)? {
    let words = arguments.words
    if words.count > 1, let command = Command.named("\(words[0]) \(words[1])") { return (command, 2) }
    return words.first.flatMap(Command.named).map { ($0, 1) }
  }

  private var options: [Option] { (command?.command.options ?? []) + Option.common }

  /// The words that fit; none where the daemon cannot be asked.
  func candidates(_ output: Output) -> [Candidate] {
    let all: [Candidate]
    if let wanted {
      all = wanted.choices.map { Candidate(word: $0) }
    } else if typed.hasPrefix("-") {
      all = options.filter { $0.repeats || !arguments.has($0.name) }
        .map { Candidate(word: $0.name, meaning: $0.help) }
    } else {
      all = subcommands + operands(output)
    }
    return all.filter { $0.word.hasPrefix(typed) }
  }

  /// The next words of commands whose first words stand there already.
  private var subcommands: [Candidate] {
    let words = arguments.words
    guard words.count < 2 else { return [] }
    var found: [Candidate] = []
    for command in Command.all {
      let name = command.name.split(separator: " ").map(String.init)
      guard name.count > words.count, Array(name.prefix(words.count)) == words else { continue }
      let word = name[words.count]
      if !found.contains(where: { $0.word == word }) {
        found.append(Candidate(word: word, meaning: command.summary))
      }
    }
    return found
  }

  private func operands(_ output: Output) -> [Candidate] {
    guard !isHelp, let (command, words) = command, arguments.words.count == words,
      let candidates = command.operands
    else { return [] }
    let session = Session(command, arguments, output, timeout: Self.limit)
    return (try? candidates.find(session)) ?? []
  }
}
