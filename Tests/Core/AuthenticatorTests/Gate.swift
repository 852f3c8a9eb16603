import Authenticator
import EventLoop
import Testing

/// Weather that holds every call of some kinds until a test lets it go.
@EventLoop
final class Gate {
  private var waiting: [(call: TestPlatform.Call, moment: TestPlatform.Moment, key: Int)] = []
  private var continuations: [Int: UnsafeContinuation<Result<Void, PlatformError>, Never>] = [:]
  private var next = 0
  private let holds: @EventLoop (TestPlatform.Call, TestPlatform.Moment) -> Bool

  /// Stands before a platform from now on.
  init(
    _ platform: TestPlatform,
    holds: @escaping @EventLoop (TestPlatform.Call, TestPlatform.Moment) -> Bool = { call, _ in
      if case .answer = call { true } else { false }
    }
  ) {
    self.holds = holds
    platform.weather = { [self] (call, moment) async throws(PlatformError) in
      guard holds(call, moment) else { return }
      next += 1
      let key = next
      waiting.append((call, moment, key))
      try await withUnsafeContinuation { continuations[key] = $0 }.get()
    }
  }

  /// What is held, in the order in which it came.
  var held: [(call: TestPlatform.Call, moment: TestPlatform.Moment)] { waiting.map { ($0.call, $0.moment) } }

  /// Lets the first that is held go on, or fail.
  func release(_ error: PlatformError? = nil, at index: Int = 0) async {
    guard waiting.indices.contains(index) else {
      Issue.record("nothing is held that could go on")
      return
    }
    let key = waiting.remove(at: index).key
    continuations.removeValue(forKey: key)?.resume(returning: error.map { .failure($0) } ?? .success(()))
    await settle()
  }

  /// Leaves what is held waiting for ever, as a crash does.
  func abandon() { (waiting, continuations) = ([], [:]) }
}
