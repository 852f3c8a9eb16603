internal import Usage

/// The parsed command line.
struct BenchmarkOptions: ProgramOptions {
  let path: String
  let method: String
  let connections: Int
  let pipeline: Int
  let seconds: Int

  init(_ arguments: Arguments) throws(UsageError) {
    let words = try arguments.operands(of: Self.usage)
    (path, method) = (words[0], words[1])
    connections = try Int(words[2], "CONNECTIONS", upTo: 65_536)
    pipeline = try Int(words[3], "IN-FLIGHT", upTo: 65_536)
    seconds = try Int(words[4], "SECONDS", upTo: 600)
  }

  static let usage = ProgramUsage(
    "mfad-bench",
    forms: ["SOCKET METHOD|ssh-agent|redis|echo CONNECTIONS IN-FLIGHT SECONDS", "--help | --version"],
    summary: "measures how fast a server on a Unix socket answers",
    purpose: """
      Calls a method of the control interface again and again, or asks an ssh-agent for its keys, redis for PING, an echo
      for a line. Prints answers a second, and the median, the slowest hundredth and the slowest thousandth of
      the time for a batch in microseconds.
      """,
    operands: ["SOCKET", "METHOD", "CONNECTIONS", "IN-FLIGHT", "SECONDS"],
    options: [
      .help,
      .version,
    ],
    commands: [ComputeCommand.command, EventsCommand.command, FillCommand.command, RepliesCommand.command],
    exitCodes: [(0, "measured"), (1, "failed"), (2, "wrong usage")]
  )
}
