internal import Glibc

/// Measures the CPU time of this thread, so that other processes have little effect.
enum Stopwatch {
  private static let warmUp = 50_000_000
  private static let batch = 2_000_000
  private static let batches = 101

  /// Returns the nanoseconds of an operation: the median of many batches.
  static func measure(_ operation: () throws -> Void) rethrows -> Double {
    var count = 1
    var taken = 0
    while taken < warmUp {
      taken = try time(count, operation)
      if taken < warmUp { count *= 2 }
    }
    let perBatch = max(1, count * batch / taken)
    let figures = try (0..<batches).map { _ in Double(try time(perBatch, operation)) / Double(perBatch) }
    return figures.sorted()[batches / 2]
  }

  private static func time(_ count: Int, _ operation: () throws -> Void) rethrows -> Int {
    let start = threadTime()
    for _ in 0..<count { try operation() }
    return threadTime() - start
  }

  /// CPU time of this thread in nanoseconds.
  private static func threadTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
