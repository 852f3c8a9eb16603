package import Usage

extension Option {
  /// What every command understands, before its name or after it.
  package static let common: [Option] = [
    Option("--socket", takes: "PATH", "the daemon's socket, instead of MFAD_SOCKET and the usual places"),
    Option("--json", "print the method's result, or the error, as one line of JSON"),
    Option(
      "--timeout",
      takes: "SECONDS",
      "give up after so long (an answer: 60, --wait: 300, --watch: never)"
    ),
    Option("--help", short: "-h", "explain the command"),
    Option("--version", "print the version"),
  ]
}
