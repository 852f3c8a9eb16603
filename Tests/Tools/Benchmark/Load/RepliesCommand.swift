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
    summary: "send a prepared reply to each line",
    purpose: """
      Listens on SOCKET until it is terminated. Sends REPLY and a line feed for each received line, without
      parsing it, with the event loop and the connections of the daemon.
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
