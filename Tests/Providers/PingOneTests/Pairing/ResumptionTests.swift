import ControlAPI
import EventLoop
import Interleaving
import JSON
import JSONRPC
import TestLoop
import TestPlatform
import Testing
internal import Vault

@testable import PingOne

extension Bench {
  fileprivate var entries: [String] {
    get throws { try auditEntries().map { "\($0.method) \($0.target ?? "-") \($0.outcome)" } }
  }
}

@Suite("audit of resumed pairings", .timeLimit(.minutes(30)))
struct ResumptionTests {
  @Test("a pairing resumed after a start leaves an audit entry per attempt")
  func resumed() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let gate = Gate(bench.platform) { call, moment in call == .checkPasscode && moment == .reply }
      let pairing = EventLoop.task { try await bench.pair().account }
      await settle()
      #expect(gate.held.count == 1)
      gate.abandon()
      let id = try #require(try bench.vault.unfinishedPairings().first?.id)
      try bench.crash()
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      try await bench.pairings.resumePairings()
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      try await bench.pairings.resumePairings()
      #expect(
        try bench.entries == [
          "daemon.resumePairing \(id) NO_CONNECTIVITY", "daemon.resumePairing \(id) ok",
        ]
      )
      pairing.cancel()
    }
  }
}
