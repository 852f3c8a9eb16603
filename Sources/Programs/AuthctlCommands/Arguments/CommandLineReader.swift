public import ControlClient
internal import Text
public import Usage

/// Parses a command line.
public enum CommandLineReader {
  /// The request of a command line.
  public enum Request: Sendable {
    case run(Command, Arguments)
    case help(Command?)
    case version
  }

  /// Parses the words after the program's name.
  public static func read(_ words: [String]) throws(Failure) -> Request {
    var reader = ArgumentReader(words[...])
    do throws(UsageError) { try reader.readLeadingOptions(Option.common) } catch {
      throw .local(.usage, "\(error.description)", hint: "\(error.hint ?? "see \"authctl --help\"")")
    }
    if reader.arguments.has(Option.help.name) { return .help(nil) }
    if reader.arguments.has(Option.version.name) { return .version }
    guard let word = reader.rest.popFirst() else {
      throw .local(
        .usage,
        "no command given",
        hint: "\"authctl --help\" explains the commands",
        list: HelpText.commands
      )
    }
    if word == "version" { return .version }
    if word == "help" { return .help(try topic(reader.rest)) }
    let command = try command(word, &reader.rest)
    do throws(UsageError) { try reader.readAll(command.options + Option.common) } catch {
      throw command.misused(error)
    }
    if reader.arguments.has(Option.help.name) { return .help(command) }
    if reader.arguments.has(Option.version.name) { return .version }
    try check(reader.arguments, command)
    return .run(command, reader.arguments)
  }

  private static func topic(_ words: ArraySlice<String>) throws(Failure) -> Command? {
    var rest = words.drop { $0.hasPrefix("-") }
    guard let word = rest.popFirst() else { return nil }
    return try command(word, &rest)
  }

  /// Returns the command with this name; a name of two words takes precedence.
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
          "command \"\(word)\" is incomplete",
          hint: meant(word, rest.first).map { "did you mean \"authctl \($0)\"?" } ?? "use one of \(names)"
        )
      }
      let meant =
        Command.all.map(\.name).nearest(to: rest.first.map { "\(word) \($0)" } ?? word)
        ?? Command.all.map(\.name).nearest(to: word)
      throw .local(
        .usage,
        "unknown command \"\(word)\"",
        hint: meant.map { "did you mean \"authctl \($0)\"?" } ?? "\"authctl --help\" lists the commands"
      )
    }
    return command
  }

  private static func check(_ arguments: Arguments, _ command: Command) throws(Failure) {
    let words = arguments.words
    if words.count < command.words.lowerBound { throw command.misused("too few arguments") }
    // The message omits the extra words, which may be a PIN or a password.
    guard words.count > command.words.upperBound else { return }
    if command.name == Command.backup.name, words.first == "restore" {
      throw .local(
        .usage,
        "a backup cannot be restored while the service runs",
        hint: "\"sudo mfad --restore FILE\" restores it, while the service is stopped"
      )
    }
    guard let meant = meant(command.name, words.first) else { throw command.misused("too many arguments") }
    throw .local(.usage, "too many arguments", hint: "did you mean \"authctl \(meant)\"?")
  }

  private static func commands(beginningWith word: String) -> [String] {
    Command.all.map(\.name).filter { $0.hasPrefix("\(word) ") }
  }

  /// Returns the two-word command that is most similar to the typed words.
  private static func meant(_ word: String, _ second: String?) -> String? {
    second.flatMap { commands(beginningWith: word).nearest(to: "\(word) \($0)") }
  }
}

extension Command {
  /// Returns the error of a command line that the command does not accept.
  func misused(_ message: SafeText) -> Failure {
    .local(.usage, message, hint: "usage: \(HelpText.usage(of: self))")
  }

  /// Returns the error of options that the command does not accept.
  func misused(_ error: UsageError) -> Failure {
    .local(
      .usage,
      "\(error.description)",
      hint: error.hint.map { "\($0)" } ?? "usage: \(HelpText.usage(of: self))"
    )
  }
}

extension Arguments {
  /// The value of `--timeout`; `nil` if it is not given.
  var timeout: Duration? {
    get throws(Failure) {
      guard let text = self["--timeout"] else { return nil }
      guard let seconds = Double(text), seconds > 0, seconds <= 1_000_000 else {
        throw .local(
          .usage,
          "--timeout requires a number of seconds greater than 0 and up to 1000000, not \"\(text)\""
        )
      }
      return .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }
  }
}

extension Option {
  /// The options of every command, before its name or after it.
  public static let common: [Option] = [
    Option(
      "--socket",
      takes: "PATH",
      "connect to the daemon's socket PATH (default: MFAD_SOCKET, else standard paths)"
    ),
    Option("--json", "print the method's result, or the error, as one line of JSON"),
    Option(
      "--timeout",
      takes: "SECONDS",
      "stop waiting after SECONDS (default: 60; with --wait 300; with --watch no limit)"
    ),
    Option("--help", short: "-h", "print the help of the command"),
    Option("--version", short: "-V", "print the version"),
  ]
}

extension Session {
  /// Returns the error of a command line that the command does not accept.
  func misused(_ message: SafeText) -> Failure { command.misused(message) }

  /// Returns the converted value of an option; `nil` if it is not given.
  func option<Value>(
    _ name: String,
    _ expected: String,
    _ read: (String) -> Value?
  ) throws(Failure) -> Value? {
    try options(name, expected, read).last
  }

  /// Returns the converted values of a repeatable option.
  func options<Value>(
    _ name: String,
    _ expected: String,
    _ read: (String) -> Value?
  ) throws(Failure) -> [Value] {
    do throws(UsageError) { return try arguments.all(name, expected, read) } catch {
      throw command.misused(error)
    }
  }

  /// Returns the option that is given, `nil` for none; throws if several are given.
  func one(of names: String...) throws(Failure) -> String? {
    let given = names.filter(arguments.has)
    guard given.count < 2 else { throw misused("\(given[0]) and \(given[1]) exclude each other") }
    return given.first
  }
}
