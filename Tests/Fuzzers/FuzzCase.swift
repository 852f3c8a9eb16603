import EventLoop
import Glibc

/// One case of a reader, held to what it may take.
@EventLoop
enum FuzzCase {
  /// The longest that it may take of the processor, in nanoseconds, and the most memory that it may hold.
  private static let longest = 50_000_000
  private static let mostMemory = 8 << 20

  /// What counts memory from a moment on, and says the most that was held since then.
  struct Meter: Sendable {
    let start: @EventLoop () -> Void
    let peak: @EventLoop () -> Int
  }

  /// Reads a case; what is wrong with it, if anything is.
  ///
  /// It counts as slow only if it is slow each of three times: the first pays for what is made once. A build that makes
  /// everything slower has so many times as long.
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

  /// What this thread has used of the processor: a busy machine finds nothing of its own making.
  private static func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
