internal import Usage

/// Measures the delay of events to subscribers.
struct EventsCommand: ProgramOptions {
  private let path: String
  private let account: String
  private let subscribers: Int

  init(_ arguments: Arguments) throws(UsageError) {
    let words = try arguments.operands(of: Self.usage)
    (path, account) = (words[0], words[1])
    subscribers = try Int(words[2], "SUBSCRIBERS", upTo: 65_536)
  }

  static let usage = ProgramUsage(
    "mfad-bench events",
    forms: ["SOCKET ACCOUNT SUBSCRIBERS"],
    summary: "measures how soon subscribers hear of a change",
    purpose: """
      Renames an account again and again while SUBSCRIBERS connections have subscribed to accounts. Prints how long after
      the request they hear of it, the slowest hundredth, and how long its reply and the first event take, the medians, in
      microseconds.
      """,
    operands: ["SOCKET", "ACCOUNT", "SUBSCRIBERS"],
    options: [.help],
    exitCodes: [(0, "measured"), (1, "failed"), (2, "wrong usage")]
  )

  static let command = ProgramCommand(usage) { arguments in
    report(arguments) { options in
      var audience = try Audience(options.subscribers, at: options.path)
      let report = try audience.report(renaming: options.account)
      return "slowest hundredth \(tenths(report.slowestHundredth)) us, reply \(tenths(report.reply)) us, "
        + "first event \(tenths(report.firstEvent)) us\n"
    }
  }
}
