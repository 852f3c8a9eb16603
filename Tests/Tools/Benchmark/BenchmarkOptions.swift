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
    summary: "measure the reply times of a server on a Unix socket",
    purpose: """
      Repeatedly calls a method of the control interface, or requests the key list of an ssh-agent, a PING of
      redis, or a line of an echo server. Prints replies per second, and the median, the 99th and the 99.9th
      percentile of the time for a batch in microseconds.
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
