import EventLoop
import Glibc
import Synchronization

/// Gives a test process its event loop, on a thread of its own that lives as long as the process.
package enum TestLoop {
  private static let started: Bool = {
    var thread = pthread_t()
    let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
      EventLoop.run()
      return nil
    }
    return pthread_create(&thread, nil, body, nil) == 0
  }()

  /// Runs a test on the loop, and what it waits for too: tests beside it may block Swift's own threads.
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

  /// Records what is wrong; the test that is running fails with it when it ends.
  ///
  /// Ends the process if no test can fail any more: none is running, or it has ended.
  package static func violate(_ reason: String) {
    guard let record = ViolationRecord.current, record.add(reason) else {
      fatalError("outside of a test: \(reason)")
    }
  }

  /// Lets everything run that can run without another thing happening.
  @EventLoop
  package static func settle() async {
    // A chain of awaits needs some turns.
    for _ in 0..<40 { await turn() }
  }

  /// Lets the jobs of the loop's turn run: a timer fires when they are done.
  @EventLoop
  package static func turn() async { await EventLoop.nextTurn() }
}
