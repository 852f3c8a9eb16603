internal import EventLoop
package import Interleaving
package import PingOne

extension TestPlatform {
  /// One moment of a call.
  package struct Visit: Sendable, CustomStringConvertible {
    package let call: Call
    package let moment: Moment

    package nonisolated var description: String { "\(call) \(moment)" }
  }
}

/// A gate for calls of a platform.
package typealias PlatformGate = Gate<TestPlatform.Visit, PlatformError>

extension Gate<TestPlatform.Visit, PlatformError> {
  /// Blocks calls of a platform from now on: by default only answers to pushes.
  package convenience init(
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
