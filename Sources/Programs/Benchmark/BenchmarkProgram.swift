internal import EventLoop
import Glibc

/// The program `mfad-bench`: measures how fast a server on a Unix socket answers.
package enum BenchmarkProgram {
  private static let usage = """
    usage: mfad-bench SOCKET METHOD|ssh-agent CONNECTIONS IN-FLIGHT SECONDS

    Calls a method of the control interface (or asks an ssh-agent for its keys) again and again and prints
    answers a second, and the median and the slowest hundredth of the time for a batch in microseconds.

    """

  /// Runs one measurement and returns the exit status.
  package static func main(_ arguments: [String]) -> Int32 {
    guard arguments.count == 6, let connections = Int(arguments[3]), let pipeline = Int(arguments[4]),
      let seconds = Int(arguments[5]), connections > 0, pipeline > 0, (1...600).contains(seconds)
    else {
      write(usage, to: STDERR_FILENO)
      return 2
    }
    let exchange = arguments[2] == "ssh-agent" ? Exchange.agentKeys : .call(arguments[2])
    let load = Load(
      path: arguments[1],
      exchange: exchange,
      connections: connections,
      pipeline: pipeline,
      duration: .seconds(seconds)
    )
    do {
      let report = try load.run()
      write(
        "\(Int(report.perSecond)) per second, median \(tenths(report.median)) us, "
          + "slowest hundredth \(tenths(report.slowestHundredth)) us\n",
        to: STDOUT_FILENO
      )
      return 0
    } catch {
      write("mfad-bench: error: \(error)\n", to: STDERR_FILENO)
      return 1
    }
  }

  private static func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = Glibc.write(descriptor, bytes, bytes.count)
  }
}
