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
    summary: "measure the delay of events to subscribers",
    purpose: """
      Repeatedly renames an account while SUBSCRIBERS connections subscribe to accounts. Prints microseconds since
      the request: the 99th percentile of all events, the median of the reply, and the median of the first event.
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
