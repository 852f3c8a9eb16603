internal import Usage

/// Serves so that it can be measured what the daemon's loop and connections take.
struct RepliesCommand: ProgramOptions {
  private var path = ""
  private var reply = ""
  private(set) var wantsHelp = false

  static let usage = ProgramUsage<RepliesCommand>(
    "mfad-bench replies",
    forms: ["SOCKET REPLY"],
    summary: "answers every line with the same, as the daemon would send it",
    purpose: """
      Listens on SOCKET until it is ended, reads no line that comes, and sends REPLY and a line feed for each, by the loop and
      the connections of the daemon.
      """,
    operands: [
      ProgramOperand("SOCKET") { (options, text) throws(UsageError) in options.path = text },
      ProgramOperand("REPLY") { (options, text) throws(UsageError) in options.reply = text },
    ],
    options: [.help(\.wantsHelp)],
    exitCodes: [(1, "failed"), (2, "wrong usage")]
  )

  static let command = ProgramCommand(usage) { arguments in
    usage.report(arguments) { options in
      try ReadyReplies(options.path, options.reply).run()
      return ""
    }
  }

  func check() throws(UsageError) {
    guard !reply.isEmpty else { throw UsageError("SOCKET and REPLY are needed") }
  }
}
