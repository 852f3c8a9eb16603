import Accounts
import Approvals
import ControlAPI
import EventLoop
import JSON
import PingOne
import TestLoop
import TestPlatform
import Testing
import Time
import Vault

@Suite("Evidence in decisions", .timeLimit(.minutes(30)))
struct EvidenceTests {
  @Test("a decision has the hash of the shown text and its original time")
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

  @Test("a denial made while locked has no shown hash, also if delivered later")
  func withheld() async throws {
    try await TestLoop.run {
      for isEndedBetween in [false, true] {
        let bench = try Bench()
        try await bench.pair()
        try await bench.lock.set(Self.pin, current: nil, owner: Bench.owner)
        bench.platform.weather = { (_, moment) throws(PlatformError) in
          if moment == (isEndedBetween ? .request : .reply) { throw .outOfReach }
        }
        let id = try #require(try bench.receive()?.id)
        await #expect(throws: PlatformError.outOfReach) { try await bench.deny(id) }
        bench.platform.weather = { (_, _) throws(PlatformError) in }
        if isEndedBetween { try bench.crash() }
        _ = try await bench.lock.unlock(Self.pin, seconds: 300, owner: Bench.owner)
        if isEndedBetween { try await bench.approvals.resume() }
        await bench.pass(.seconds(30))
        let claims = bench.platform.decisions.map(\.claims)
        #expect(claims.count == (isEndedBetween ? 1 : 2))
        #expect(claims.allSatisfy { $0["decision"] == "deny" && $0["shown"] == nil })
        // Pushes after the unlock are shown.
        let later = try #require(try bench.receive()?.id)
        _ = try await bench.deny(later)
        #expect(bench.platform.decisions.last?.claims["shown"]?.string != nil)
      }
    }
  }

  @Test("an approval with a PIN for this call only has no shown hash")
  func approvedUnseen() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      try await bench.lock.set(Self.pin, current: nil, owner: Bench.owner)
      let id = try #require(try bench.receive()?.id)
      _ = try await bench.approvals.presence.verifying(.pin(Self.pin), of: Bench.owner) {
        try await bench.approve(id)
      }
      let claims = try #require(bench.platform.decisions.last?.claims)
      #expect(claims["authenticationMethod"] == "pin" && claims["shown"] == nil)
    }
  }

  private static let pin = "280491"
}
