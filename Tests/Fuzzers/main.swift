import CFuzzer
import EventLoop
import Glibc

/// Plays cases against one reader, named by the first argument; the others are libFuzzer's.
nonisolated enum Fuzzer {
  /// The longest that a case may take of the processor, in nanoseconds, and the most memory that it may hold.
  private static let longest = 50_000_000
  private static let mostMemory = 8 << 20

  private static let target = FuzzTarget.all.first { $0.name == CommandLine.arguments.dropFirst().first }

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

  /// A case counts as slow only if it is slow each of three times: the first pays for what is made once.
  private static func play(_ bytes: [UInt8]) {
    var time = Int.max
    for _ in 0..<3 where time > longest {
      let start = processorTime()
      allocation_meter_start()
      read(bytes)
      let memory = allocation_meter_peak()
      time = min(time, processorTime() - start)
      if memory > mostMemory { fail("held \(memory >> 20) MiB of memory") }
    }
    if time > longest { fail("took \(time / 1_000_000) ms of the processor") }
  }

  private static func read(_ bytes: [UInt8]) {
    EventLoop.task {
      try? await target?.read(bytes)
      EventLoop.stop()
    }
    EventLoop.run()
  }

  private static func fail(_ what: String) {
    let line = Array("finding: a case \(what)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    abort()
  }

  private static func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}

exit(Fuzzer.main())
