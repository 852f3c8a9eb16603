import CFuzzer
import EventLoop
import Glibc

/// Runs cases against one parser, named by the first argument.
///
/// The other arguments are for libFuzzer.
nonisolated enum Fuzzer {
  private static let target = FuzzTarget.all.first { $0.name == CommandLine.arguments.dropFirst().first }

  private static let memory = FuzzCase.Meter(
    start: { allocation_meter_start() },
    peak: { Int(allocation_meter_peak()) }
  )

  static func main() -> Int32 {
    guard let target else {
      for target in FuzzTarget.all { print(target.name) }
      return CommandLine.argc > 1 ? 64 : 0
    }
    var arguments = [CommandLine.arguments[0], "-max_len=\(target.maximumLength)", "-detect_leaks=0"]
    arguments += CommandLine.arguments.dropFirst(2)
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var count = Int32(arguments.count)
    return pointers.withUnsafeMutableBufferPointer { buffer in
      var first = buffer.baseAddress
      return LLVMFuzzerRunDriver(&count, &first) { data, size in
        Fuzzer.play(Array(UnsafeBufferPointer(start: data, count: size)))
        return 0
      }
    }
  }

  private static func play(_ bytes: [UInt8]) {
    EventLoop.task {
      if let target, let what = await FuzzCase.finding(in: bytes, of: target, memory: memory) { fail(what) }
      EventLoop.stop()
    }
    EventLoop.run()
  }

  private static func fail(_ what: String) {
    let line = Array("finding: a case \(what)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    abort()
  }
}

exit(Fuzzer.main())
