internal import Usage

/// Measures what the daemon computes, without the daemon.
struct ComputeCommand: ProgramOptions {
  private var work: Work?
  private(set) var wantsHelp = false

  static let usage = ProgramUsage<ComputeCommand>(
    "mfad-bench compute",
    forms: ["WORK"],
    summary: "measures what the daemon computes",
    purpose: """
      Does the work again and again and prints the nanoseconds of the processor that it takes each time, the median of
      many tries, and how many bytes it reads. Works: \(Work.all.map(\.name).joined(separator: ", ")).
      """,
    operands: [
      ProgramOperand("WORK", choices: Work.all.map(\.name)) { (options, text) throws(UsageError) in
        guard let work = Work.all.first(where: { $0.name == text }) else {
          throw UsageError("there is no such WORK")
        }
        options.work = work
      }
    ],
    options: [.help(\.wantsHelp)],
    exitCodes: [(0, "measured"), (1, "failed"), (2, "wrong usage")]
  )

  static let command = ProgramCommand(usage) { arguments in
    usage.report(arguments) { options in
      guard let operation = try options.work?.prepare() else { throw WorkFailure("no WORK") }
      return "\(try Stopwatch.measure(operation.run)) \(operation.bytes)\n"
    }
  }

  func check() throws(UsageError) {
    guard work != nil else { throw UsageError("WORK is needed") }
  }
}
