package import EventLoop
import TestLoop

/// Holds calls of a fake until a test lets them go on, or fail.
@EventLoop
package final class Gate<Call: Sendable, Failure: Error> {
  private var waiting: [(call: Call, continuation: UnsafeContinuation<Result<Void, Failure>, Never>)] = []
  private let holds: @EventLoop (Call) -> Bool

  /// A gate that stands before the calls of some kinds.
  package init(holds: @escaping @EventLoop (Call) -> Bool) { self.holds = holds }

  /// Returns or fails when the test says so, at once for what is not held; what a fake does at each of its moments.
  package func pass(_ call: Call) async throws(Failure) {
    guard holds(call) else { return }
    try await withUnsafeContinuation { waiting.append((call, $0)) }.get()
  }

  /// What is held, in the order in which it came.
  package var held: [Call] { waiting.map(\.call) }

  /// Lets one that is held go on, or fail, and all happen that follows from that.
  package func release(_ error: Failure? = nil, at index: Int = 0) async {
    guard waiting.indices.contains(index) else {
      return TestLoop.violate("nothing is held that could go on")
    }
    waiting.remove(at: index).continuation.resume(returning: error.map { .failure($0) } ?? .success(()))
    await TestLoop.settle()
  }

  /// Lets everything go on that is held now, one after the other, and what comes meanwhile.
  package func releaseAll() async {
    while !waiting.isEmpty { await release() }
  }

  /// Leaves what is held waiting for ever, as a crash does.
  package func abandon() { waiting = [] }
}
