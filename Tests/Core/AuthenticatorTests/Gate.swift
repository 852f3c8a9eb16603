import Authenticator
import EventLoop
import Interleaving

extension TestPlatform {
  /// One moment of a call.
  struct Visit: Sendable, CustomStringConvertible {
    let call: Call
    let moment: Moment

    nonisolated var description: String { "\(call) \(moment)" }
  }
}

extension Gate<TestPlatform.Visit, PlatformError> {
  /// Stands before a platform from now on; of the calls it holds answers to pushes, unless something else is said.
  convenience init(
    _ platform: TestPlatform,
    holds: @escaping @EventLoop (TestPlatform.Call, TestPlatform.Moment) -> Bool = { call, _ in
      if case .answer = call { true } else { false }
    }
  ) {
    self.init { holds($0.call, $0.moment) }
    platform.weather = { [self] (call, moment) async throws(PlatformError) in
      try await pass(TestPlatform.Visit(call: call, moment: moment))
    }
  }
}
