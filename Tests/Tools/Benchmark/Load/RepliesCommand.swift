internal import Usage

/// A server for measuring the cost of the daemon's event loop and connections.
struct RepliesCommand: ProgramOptions {
  private let path: String
  private let reply: String

  init(_ arguments: Arguments) throws(UsageError) {
    let words = try arguments.operands(of: Self.usage)
    (path, reply) = (words[0], words[1])
  }

  static let usage = ProgramUsage(
    "mfad-bench replies",
    forms: ["SOCKET REPLY"],
    summary: "answers every line with the same, as the daemon would send it",
    purpose: """
      Listens on SOCKET until it is ended, reads no line that comes, and sends REPLY and a line feed for each, by the loop and
      the connections of the daemon.
      """,
    operands: ["SOCKET", "REPLY"],
    options: [.help],
    exitCodes: [(1, "failed"), (2, "wrong usage")]
  )

  static let command = ProgramCommand(usage) { arguments in
    report(arguments) { options in
      try ReadyReplies(options.path, options.reply).run()
      return ""
    }
  }
}
