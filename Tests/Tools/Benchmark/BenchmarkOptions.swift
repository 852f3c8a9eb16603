internal import Usage

/// What the command line asks for.
struct BenchmarkOptions: ProgramOptions {
  private(set) var path = ""
  private(set) var method = ""
  private(set) var connections = 0
  private(set) var pipeline = 0
  private(set) var seconds = 0
  private(set) var wantsHelp = false
  private(set) var wantsVersion = false

  static let usage = ProgramUsage<BenchmarkOptions>(
    "mfad-bench",
    forms: ["SOCKET METHOD|ssh-agent|redis|echo CONNECTIONS IN-FLIGHT SECONDS", "--help | --version"],
    summary: "measures how fast a server on a Unix socket answers",
    purpose: """
      Calls a method of the control interface again and again, or asks an ssh-agent for its keys, redis for PING, an echo
      for a line. Prints answers a second, and the median, the slowest hundredth and the slowest thousandth of
      the time for a batch in microseconds.
      """,
    operands: [
      ProgramOperand("SOCKET") { (options, text) throws(UsageError) in options.path = text },
      ProgramOperand("METHOD") { (options, text) throws(UsageError) in options.method = text },
      .count("CONNECTIONS", upTo: 65_536, \.connections), .count("IN-FLIGHT", upTo: 65_536, \.pipeline),
      .count("SECONDS", upTo: 600, \.seconds),
    ],
    options: [
      .help(\.wantsHelp),
      .version(\.wantsVersion),
    ],
    commands: [ComputeCommand.command, EventsCommand.command, FillCommand.command, RepliesCommand.command],
    exitCodes: [(0, "measured"), (1, "failed"), (2, "wrong usage")]
  )

  func check() throws(UsageError) {
    guard seconds > 0 else {
      throw UsageError("SOCKET, METHOD, CONNECTIONS, IN-FLIGHT and SECONDS are needed")
    }
  }
}
