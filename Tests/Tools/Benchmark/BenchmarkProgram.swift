internal import Usage

/// The program `mfad-bench`: measures how fast a server on a Unix socket answers.
package enum BenchmarkProgram {
  /// Runs one measurement and returns the exit status.
  package static func main(_ arguments: [String]) -> Int32 {
    BenchmarkOptions.report(arguments) { options in
      let report = try Load(options).run()
      return "\(Int(report.perSecond)) per second, median \(tenths(report.median)) us, "
        + "slowest hundredth \(tenths(report.slowestHundredth)) us, "
        + "slowest thousandth \(tenths(report.slowestThousandth)) us\n"
    }
  }
}

/// Formats a number with one decimal place.
func tenths(_ value: Double) -> String {
  let tenths = Int((value * 10).rounded())
  return "\(tenths / 10).\(tenths % 10)"
}

extension Load {
  fileprivate init(_ options: BenchmarkOptions) {
    self.init(
      path: options.path,
      exchange: Exchange(named: options.method),
      connections: options.connections,
      pipeline: options.pipeline,
      duration: .seconds(options.seconds)
    )
  }
}
