import Synchronization

/// The violations that support code recorded while a test ran.
package struct TestViolations: Error {
  package let reasons: [String]

  package init(_ reasons: [String]) { self.reasons = reasons }
}

/// The violations of one test while it runs.
final class ViolationRecord: Sendable {
  /// The record of the test that runs the current task or started it.
  @TaskLocal static var current: ViolationRecord?

  /// The reasons; `nil` once the test has ended.
  private let reasons = Mutex<[String]?>([])

  /// Adds a reason, and returns `false` if the test has ended.
  func add(_ reason: String) -> Bool {
    reasons.withLock {
      $0?.append(reason)
      return $0 != nil
    }
  }

  /// Ends the record.
  ///
  /// Throws: the violations, with the error of the test as the last of them, or that error.
  func close<R>(with result: Result<R, any Error>) throws -> R {
    var all = reasons.withLock { reasons in
      defer { reasons = nil }
      return reasons ?? []
    }
    guard !all.isEmpty else { return try result.get() }
    if case .failure(let error) = result { all.append("\(error)") }
    throw TestViolations(all)
  }
}
