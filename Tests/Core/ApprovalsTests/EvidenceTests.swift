import ControlAPI
import EventLoop
import JSON
import PingOne
import TestLoop
import TestPlatform
import Testing
import Time

@Suite("What a decision proves", .timeLimit(.minutes(10)))
struct EvidenceTests {
  @Test("a decision tells by a hash what was shown, not what was sent, and its time however late it is heard")
  func shown() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let decided = bench.clock.now.seconds
      bench.platform.weather = { (_, moment) throws(PlatformError) in
        if moment == .reply { throw .outOfReach }
      }
      let push: JSONObject = [
        "title": "Si\u{202E}gn\n on", "body": "Do it?",
        "numberMatching": ["type": "SELECT_NUMBER", "options": [11, 22, 33]],
      ]
      let id = try #require(try bench.receive(push)?.id)
      await #expect(throws: PlatformError.outOfReach) { try await bench.deny(id) }
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      await bench.pass(.seconds(30))
      let claims = bench.platform.decisions.map(\.claims)
      #expect(claims.count > 1 && claims.allSatisfy { $0["iat"]?.int == decided })
      #expect(claims.allSatisfy { $0["shown"] == "RquNwQWguPDhOG1UMgC-LsKnu5z5jOC-qWcWDIXumF4" })
    }
  }
}
