import EventLoop
import Glibc
import Synchronization

/// Runs the event loop of a test process on a separate thread, which lives as long as the process.
package enum TestLoop {
  private static let started: Bool = {
    var thread = pthread_t()
    let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
      EventLoop.run()
      return nil
    }
    return pthread_create(&thread, nil, body, nil) == 0
  }()

  /// Runs a test on the loop, with everything that it awaits, since parallel tests may block Swift's own
  /// threads.
  ///
  /// Throws: the error of the test, or `TestViolations` if it recorded any.
  package static func run<R: Sendable>(
    _ body: @escaping @EventLoop @Sendable () async throws -> R
  ) async throws -> R {
    precondition(started)
    let record = ViolationRecord()
    return try await ViolationRecord.$current.withValue(record) {
      try await EventLoop.task { () async throws -> R in
        let result: Result<R, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        return try record.close(with: result)
      }.value
    }
  }

  /// Records a violation.
  ///
  /// The running test fails with it when it ends.
  ///
  /// Ends the process if no test can fail any more: none is running, or it has ended.
  package static func violate(_ reason: String) {
    guard let record = ViolationRecord.current, record.add(reason) else {
      fatalError("outside of a test: \(reason)")
    }
  }

  /// Runs everything that can run without another external event.
  @EventLoop
  package static func settle() async {
    // A chain of awaits needs several loop iterations.
    for _ in 0..<40 { await turn() }
  }

  /// Runs the jobs of one loop iteration.
  ///
  /// A due timer fires after them.
  @EventLoop
  package static func turn() async { await EventLoop.nextTurn() }
}
