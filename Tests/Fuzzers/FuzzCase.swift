import EventLoop
import Glibc

/// Runs one case of a reader and enforces its limits.
@EventLoop
enum FuzzCase {
  /// Maximum CPU time in nanoseconds, and maximum memory in bytes.
  private static let longest = 50_000_000
  private static let mostMemory = 8 << 20

  /// Measures memory: `start` begins a measurement, `peak` returns the maximum number of bytes since then.
  struct Meter: Sendable {
    let start: @EventLoop () -> Void
    let peak: @EventLoop () -> Int
  }

  /// Runs a case.
  ///
  /// Returns a description of a violated limit, or `nil`.
  ///
  /// A case is slow only if it is slow three times, since the first run includes one-time work. `slowness` is
  /// the factor for slower builds.
  static func finding(
    in bytes: [UInt8],
    of target: FuzzTarget,
    slowness: Int = 1,
    memory: Meter
  ) async -> String? {
    var time = Int.max
    for _ in 0..<3 where time > longest * slowness {
      let start = processorTime()
      memory.start()
      try? await target.read(bytes)
      time = min(time, processorTime() - start)
      let held = memory.peak()
      if held > mostMemory { return "held \(held >> 20) MiB of memory" }
    }
    return time > longest * slowness ? "took \(time / 1_000_000) ms of the processor" : nil
  }

  /// CPU time of this thread, so that other load on the machine has no effect.
  private static func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
