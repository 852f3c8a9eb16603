internal import ControlClient
internal import Usage

extension Command {
  static let completion = Command(
    "completion",
    "bash|zsh|fish",
    words: 1...1,
    operands: .of(CompletionScript.shells),
    summary: "print what lets a shell complete the command lines of authctl",
    details: """
      Commands, options, and the names of your own accounts and of what is pending are completed.

      For bash: authctl completion bash > ~/.local/share/bash-completion/completions/authctl
      For fish: authctl completion fish > ~/.config/fish/completions/authctl.fish
      For zsh, into a directory of your fpath: authctl completion zsh > _authctl
      """,
    examples: ["authctl completion fish > ~/.config/fish/completions/authctl.fish"]
  ) { (session) throws(Failure) in
    guard let script = CompletionScript.text(for: session.arguments.words[0], of: "authctl") else {
      throw session.misused("\"\(session.arguments.words[0])\" is none of bash, zsh, fish")
    }
    try session.output.line(SafeText(stringLiteral: script))
  }

  static let completionWords = Command(
    "completion words",
    "-- WORD…",
    words: 0...256,
    summary: "print what may stand at the end of a command line, for those scripts",
    details: "One line each: the word and, after a tab, what it means. The last WORD is being typed."
  ) { (session) throws(Failure) in
    let completion = Completion(session.arguments.words, of: completed(session.output))
    for candidate in completion.candidates {
      try session.output.line("\(candidate.word)\t\(candidate.meaning)")
    }
  }
}
