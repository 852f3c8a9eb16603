internal import Usage

/// Measures computations of the daemon, without the daemon.
struct ComputeCommand: ProgramOptions {
  private let work: Work

  init(_ arguments: Arguments) throws(UsageError) {
    let name = try arguments.operands(of: Self.usage)[0]
    guard let work = Work.all.first(where: { $0.name == name }) else {
      throw UsageError("unknown WORK \"\(name)\"")
    }
    self.work = work
  }

  static let usage = ProgramUsage(
    "mfad-bench compute",
    forms: ["WORK"],
    summary: "measure a computation of the daemon",
    purpose: """
      Repeats the computation WORK. Prints the median of its processor time in nanoseconds, and the number of
      bytes that it reads. WORK is one of \(Work.all.map(\.name).joined(separator: ", ")).
      """,
    operands: ["WORK"],
    choices: Work.all.map(\.name),
    options: [.help],
    exitCodes: [(0, "measured"), (1, "failed"), (2, "wrong usage")]
  )

  static let command = ProgramCommand(usage) { arguments in
    report(arguments) { options in
      let operation = try options.work.prepare()
      return "\(try Stopwatch.measure(operation.run)) \(operation.bytes)\n"
    }
  }
}
