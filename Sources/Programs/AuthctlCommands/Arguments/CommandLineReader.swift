package import ControlClient
internal import Text
internal import Usage

/// Takes a command line apart.
package enum CommandLineReader {
  /// What a command line asks for.
  package enum Request: Sendable {
    case run(Command, Arguments)
    case help(Command?)
    case version
  }

  /// Reads the words after the program's name.
  package static func read(_ words: [String]) throws(Failure) -> Request {
    var reader = Reader(rest: words[...])
    while let word = reader.rest.first, word.hasPrefix("-"), word != "-", word != "--" {
      try reader.option(among: Option.common, of: nil)
    }
    if reader.arguments.has("--help") { return .help(nil) }
    if reader.arguments.has("--version") { return .version }
    guard let word = reader.rest.popFirst() else {
      throw .local(.usage, "no command", hint: "\"authctl --help\" lists the commands")
    }
    if word == "help" { return .help(try topic(reader.rest)) }
    let command = try command(word, &reader.rest)
    try reader.read(command)
    if reader.arguments.has("--help") { return .help(command) }
    if reader.arguments.has("--version") { return .version }
    try check(reader.arguments, command)
    return .run(command, reader.arguments)
  }

  private static func topic(_ words: ArraySlice<String>) throws(Failure) -> Command? {
    var rest = words.drop { $0.hasPrefix("-") }
    guard let word = rest.popFirst() else { return nil }
    return try command(word, &rest)
  }

  /// The command of that name, of two words if there is one.
  private static func command(_ word: String, _ rest: inout ArraySlice<String>) throws(Failure) -> Command {
    if let second = rest.first, let command = Command.named("\(word) \(second)") {
      rest.removeFirst()
      return command
    }
    guard let command = Command.named(word) else {
      let parts = commands(beginningWith: word)
      guard parts.isEmpty else {
        let names = parts.map { "\"authctl \($0)\"" as SafeText }.joined(separator: ", ")
        throw .local(
          .usage,
          "\"\(word)\" is only the beginning of a command",
          hint: meant(word, rest.first).map { "did you mean \"authctl \($0)\"?" } ?? "there are \(names)"
        )
      }
      let meant =
        Command.all.map(\.name).nearest(to: rest.first.map { "\(word) \($0)" } ?? word)
        ?? Command.all.map(\.name).nearest(to: word)
      throw .local(
        .usage,
        "no command \"\(word)\"",
        hint: meant.map { "did you mean \"authctl \($0)\"?" } ?? "\"authctl --help\" lists the commands"
      )
    }
    return command
  }

  private static func check(_ arguments: Arguments, _ command: Command) throws(Failure) {
    let words = arguments.words
    if words.count < command.words.lowerBound { throw command.misused("too few arguments") }
    // What is too much may be a PIN or a password, and is not repeated.
    guard words.count > command.words.upperBound else { return }
    guard let meant = meant(command.name, words.first) else { throw command.misused("too many arguments") }
    throw .local(.usage, "too many arguments", hint: "did you mean \"authctl \(meant)\"?")
  }

  private static func commands(beginningWith word: String) -> [String] {
    Command.all.map(\.name).filter { $0.hasPrefix("\(word) ") }
  }

  /// The command of two words whose second is misspelt.
  private static func meant(_ word: String, _ second: String?) -> String? {
    second.flatMap { commands(beginningWith: word).nearest(to: "\(word) \($0)") }
  }
}

extension Command {
  /// The failure of a command line that does not fit the command.
  func misused(_ message: SafeText) -> Failure {
    .local(.usage, message, hint: "usage: \(HelpText.usage(of: self))")
  }
}

private struct Reader {
  var rest: ArraySlice<String>
  var arguments = Arguments()

  mutating func read(_ command: Command) throws(Failure) {
    let known = command.options + Option.common
    while let word = rest.first {
      if word == "--" {
        arguments.words += rest.dropFirst()
        return
      }
      if word.hasPrefix("-"), word != "-" {
        try option(among: known, of: command)
      } else {
        arguments.words.append(word)
        rest.removeFirst()
      }
    }
  }

  mutating func option(among known: [Option], of command: Command?) throws(Failure) {
    let word = rest.removeFirst()
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let option = known.first(where: { $0.name == parts[0] || $0.short == parts[0] }) else {
      guard let meant = known.map(\.name).nearest(to: parts[0]) else {
        throw wrong("no option \"\(parts[0])\"", command)
      }
      throw .local(.usage, "no option \"\(parts[0])\"", hint: "did you mean \(meant)?")
    }
    guard option.repeats || !arguments.has(option.name) else {
      throw wrong("\(option.name) is given twice", command)
    }
    arguments.options[option.name, default: []].append(try value(of: option, parts, command))
  }

  private mutating func value(
    of option: Option,
    _ parts: [String],
    _ command: Command?
  ) throws(Failure) -> String {
    guard let placeholder = option.value else {
      guard parts.count == 1 else { throw wrong("\(option.name) takes no value", command) }
      return ""
    }
    if parts.count == 2 { return parts[1] }
    guard let next = rest.first, !next.hasPrefix("--") else {
      throw wrong("\(option.name) needs a value: \(option.name) \(placeholder)", command)
    }
    rest.removeFirst()
    return next
  }

  private func wrong(_ message: SafeText, _ command: Command?) -> Failure {
    command?.misused(message) ?? .local(.usage, message, hint: "see \"authctl --help\"")
  }
}
