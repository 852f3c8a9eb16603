internal import ControlAPI
internal import ControlClient
internal import Usage

extension Command {
  static let completion = Command(
    "completion",
    "bash|zsh|fish",
    words: 1...1,
    operands: .of(CompletionScript.shells),
    summary: "print the completion script of authctl for a shell",
    details: """
      The script completes commands, options, and the names of your accounts and pending requests.

      For bash: authctl completion bash > ~/.local/share/bash-completion/completions/authctl
      For fish: authctl completion fish > ~/.config/fish/completions/authctl.fish
      For zsh, into a directory of your fpath: authctl completion zsh > _authctl
      """,
    examples: ["authctl completion fish > ~/.config/fish/completions/authctl.fish"]
  ) { (session) throws(Failure) in
    guard let script = CompletionScript.text(for: session.arguments.words[0], of: "authctl") else {
      throw session.misused("unknown shell \"\(session.arguments.words[0])\", not bash, zsh or fish")
    }
    try session.output.line(SafeText(stringLiteral: script))
  }

  static let completionWords = Command(
    "completion words",
    "-- WORD…",
    words: 0...256,
    summary: "print the possible last words of a command line, for the completion scripts",
    details: "One line each: the word and, after a tab, its description. The last WORD is incomplete."
  ) { (session) throws(Failure) in
    let completion = Completion(session.arguments.words, of: completed(session.output))
    for candidate in completion.candidates {
      try session.output.line("\(candidate.word)\t\(candidate.meaning)")
    }
  }
}

extension Command {
  /// Maximum wait for the daemon; short, because the user waits at the keyboard.
  private static let limit = Duration.seconds(1)

  /// Returns the commands for completion; `help` accepts the names of all commands.
  static func completed(_ output: Output) -> [CompletedCommand] {
    let help = CompletedCommand(["help"], "explain a command", Option.common)
    let none = CompletedCommand([], "", Option.common)
    return [none, help] + all.flatMap { [$0.completed(output), $0.explained] }
  }

  private var nameWords: [String] { name.split(separator: " ").map(String.init) }

  private var explained: CompletedCommand {
    CompletedCommand(["help"] + nameWords, summary.text, Option.common)
  }

  /// Returns the command for completion, without operands if the daemon is unavailable.
  private func completed(_ output: Output) -> CompletedCommand {
    CompletedCommand(nameWords, summary.text, options + Option.common) { arguments in
      guard let operands else { return [] }
      return (try? operands.find(Session(self, arguments, output, timeout: Self.limit))) ?? []
    }
  }
}

/// A source of completion candidates.
struct Candidates: Sendable {
  let find: @Sendable (Session) throws(Failure) -> [Candidate]

  static let accounts = Candidates { (session) throws(Failure) in
    let accounts = try session.call(AccountList())
    return accounts.map { account in
      let name = account.nickname ?? account.label
      let isPlain = "\(name)" as SafeText == SafeText(stringLiteral: name) && !name.hasPrefix("-")
      let isOnly = accounts.filter { $0.isCalled(name.lowercased()) }.count == 1
      return Candidate(
        isPlain && isOnly ? name : account.id,
        "\(account.kind.name) \(account.issuer ?? account.user?.username ?? account.label)"
      )
    }
  }

  static let pendingRequests = Candidates { (session) throws(Failure) in
    try session.call(NotificationList(state: .pending)).filter(\.canBeAnswered).map {
      Candidate($0.id, NotificationText.row($0).dropLast().joined(separator: " ").text)
    }
  }

  static let pairings = Candidates { (session) throws(Failure) in
    try session.call(PairingList()).map { Candidate($0.id, $0.user.username ?? $0.user.id) }
  }

  static let methods = Candidates { (_) throws(Failure) in
    MethodTable.all.map { Candidate($0.name, $0.summary) }
  }

  static let sessions = Candidates { (session) throws(Failure) in
    try session.call(SessionList()).map { Candidate($0.id, $0.issuer) }
  }

  /// Returns fixed words as candidates.
  static func of(_ words: [String]) -> Candidates {
    Candidates { (_) throws(Failure) in words.map { Candidate($0) } }
  }
}
