package import EventLoop
import TestLoop

/// Blocks calls of a fake until a test releases them or lets them fail.
@EventLoop
package final class Gate<Call: Sendable, Failure: Error> {
  private var waiting: [(call: Call, continuation: UnsafeContinuation<Result<Void, Failure>, Never>)] = []
  private let holds: @EventLoop (Call) -> Bool

  /// A gate that blocks the calls for which `holds` returns true.
  package init(holds: @escaping @EventLoop (Call) -> Bool) { self.holds = holds }

  /// Returns or throws when the test decides, or immediately if the call is not blocked.
  ///
  /// A fake calls this at each of its moments.
  package func pass(_ call: Call) async throws(Failure) {
    guard holds(call) else { return }
    try await withUnsafeContinuation { waiting.append((call, $0)) }.get()
  }

  /// Blocked calls, in the order of their arrival.
  package var held: [Call] { waiting.map(\.call) }

  /// Releases a blocked call or lets it fail, then runs everything that follows from it.
  package func release(_ error: Failure? = nil, at index: Int = 0) async {
    guard waiting.indices.contains(index) else {
      return TestLoop.violate("nothing is held that could go on")
    }
    waiting.remove(at: index).continuation.resume(returning: error.map { .failure($0) } ?? .success(()))
    await TestLoop.settle()
  }

  /// Releases all blocked calls one by one, including those that arrive meanwhile.
  package func releaseAll() async {
    while !waiting.isEmpty { await release() }
  }

  /// Leaves all blocked calls blocked permanently, as a crash does.
  package func abandon() { waiting = [] }
}
