internal import Usage

/// Measures how soon subscribers hear of something.
struct EventsCommand: ProgramOptions {
  private var path = ""
  private var account = ""
  private var subscribers = 0
  private(set) var wantsHelp = false

  static let usage = ProgramUsage<EventsCommand>(
    "mfad-bench events",
    forms: ["SOCKET ACCOUNT SUBSCRIBERS"],
    summary: "measures how soon subscribers hear of a change",
    purpose: """
      Renames an account again and again while SUBSCRIBERS connections have subscribed to accounts. Prints how long after
      the request they hear of it, the slowest hundredth, and how long its reply and the first event take, the medians, in
      microseconds.
      """,
    operands: [
      ProgramOperand("SOCKET") { (options, text) throws(UsageError) in options.path = text },
      ProgramOperand("ACCOUNT") { (options, text) throws(UsageError) in options.account = text },
      .count("SUBSCRIBERS", upTo: 65_536, \.subscribers),
    ],
    options: [.help(\.wantsHelp)],
    exitCodes: [(0, "measured"), (1, "failed"), (2, "wrong usage")]
  )

  static let command = ProgramCommand(usage) { arguments in
    usage.report(arguments) { options in
      var audience = try Audience(options.subscribers, at: options.path)
      let report = try audience.report(renaming: options.account)
      return "slowest hundredth \(tenths(report.slowestHundredth)) us, reply \(tenths(report.reply)) us, "
        + "first event \(tenths(report.firstEvent)) us\n"
    }
  }

  func check() throws(UsageError) {
    guard subscribers > 0 else { throw UsageError("SOCKET, ACCOUNT and SUBSCRIBERS are needed") }
  }
}
