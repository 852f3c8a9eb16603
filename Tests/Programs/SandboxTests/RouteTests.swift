import HTTPServer
import TestLoop
import Testing

@testable import Sandbox

@Suite("routes")
struct RouteTests {
  @Test("no two routes match the same requests")
  func unique() async throws {
    try await TestLoop.run {
      var seen: Set<String> = []
      for route in Dispatcher.routes {
        let path = route.pattern.split(separator: "/").map { $0.hasPrefix("{") ? "{}" : $0 }
        let request = "\(route.method) \(path.joined(separator: "/")) \(route.mediaType ?? "")"
        #expect(seen.insert(request).inserted, "\(request)")
      }
      #expect(seen.count > 100)
    }
  }
}
