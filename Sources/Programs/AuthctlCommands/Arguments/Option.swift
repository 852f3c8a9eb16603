package import ControlClient

/// An option of a command line.
package struct Option: Sendable {
  /// The name with its hyphens.
  package let name: String
  package let short: String?
  /// What its value is called in the help; `nil` if it takes none.
  package let value: String?
  let repeats: Bool
  /// The values that it takes, where those are few.
  let choices: [String]
  package let help: SafeText

  init(
    _ name: String,
    short: String? = nil,
    value: String? = nil,
    repeats: Bool = false,
    choices: [String] = [],
    _ help: SafeText
  ) {
    self.name = name
    self.short = short
    self.value = value
    self.repeats = repeats
    self.choices = choices
    self.help = help
  }

  /// As it is typed, with its short form: `-q, --quiet`.
  package var shown: SafeText {
    let names: SafeText = short.map { "\($0), \(name)" } ?? "\(name)"
    return value.map { "\(names) \($0)" } ?? names
  }

  /// What every command understands, before its name or after it.
  package static let common: [Option] = [
    Option("--socket", value: "PATH", "the daemon's socket, instead of MFAD_SOCKET and the usual places"),
    Option("--json", "print the method's result, or the error, as one line of JSON"),
    Option(
      "--timeout",
      value: "SECONDS",
      "give up after so long (an answer: 60, --wait: 300, --watch: never)"
    ),
    Option("--help", short: "-h", "explain the command"),
    Option("--version", "print the version"),
  ]
}
