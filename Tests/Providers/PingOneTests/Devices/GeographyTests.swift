import Accounts
import Configuration
import ControlAPI
import EventLoop
import Interleaving
import JSON
import JSONRPC
import PingOne
import SQLite
import TestLoop
import TestPlatform
import Testing
internal import Vault

@Suite("geographies", .timeLimit(.minutes(30)))
struct GeographyTests {
  @EventLoop private static let unchosen = Bench.configuration.replacing("geo = NorthAmerica", with: "")

  @Test("each of the six geographies can be configured once", arguments: Geography.allCases)
  func configure(geography: Geography) async throws {
    try await TestLoop.run {
      let bench = try Bench(configuration: Self.unchosen)
      await #expect(throws: RPCError.notConfigured) { try await bench.pair() }
      let identity = try await bench.devices.configure(geography, for: Bench.owner)
      #expect(identity.geography == geography && identity.isPrimary)
      let again = try await bench.devices.configure(geography, for: Bench.owner)
      #expect(again.id == identity.id && again.deviceID == identity.deviceID && again.keyID == identity.keyID)
      for other in Geography.allCases where other != geography {
        await #expect(throws: RPCError.cannotUpdateGeography) {
          try await bench.devices.configure(other, for: Bench.owner)
        }
      }
      #expect(bench.platform.calls.filter { $0 == .trust }.count == 1)
    }
  }

  @Test("a geography can be replaced by another if its trust failed")
  func failedTrust() async throws {
    try await TestLoop.run {
      let bench = try Bench(configuration: Self.unchosen)
      bench.platform.weather = { (call, _) throws(PlatformError) in
        if call == .trust { throw .refused(.trustFailed) }
      }
      await #expect(throws: (any Error).self) {
        try await bench.devices.configure(.europe, for: Bench.owner)
      }
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      _ = try await bench.devices.configure(.canada, for: Bench.owner)
      #expect(try bench.identity()?.geography == .canada)
    }
  }

  @Test("a commit failure reaches every caller that waits for trust, and trust can be retried")
  func unstoredTrust() async throws {
    try await TestLoop.run {
      let bench = try Bench(inMemory: true)
      let configure = { @EventLoop @Sendable () async throws in
        try await bench.devices.configure(.northAmerica, for: Bench.owner)
      }
      try bench.vault.failCommitsOfIdentities()
      let trusts = (0..<2).map { _ in EventLoop.task(configure) }
      for trust in trusts { await #expect(throws: SQLiteError.self) { try await trust.value } }
      try bench.vault.mendCommits()
      #expect(try await configure().deviceID != nil)
    }
  }

  @Test("a pairing key of another geography establishes trust there and pairs")
  func elsewhere() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.platform.pairing.geography = .europe
      bench.platform.pairing.environment = "e-2"
      let info = try await bench.pairings.pair("02ABCDEFGHJKMN", owner: Bench.owner)
      let accounts = try bench.accounts.list(of: Bench.owner)
      #expect(accounts.first { $0.id == info.account }?.geography == .europe)
      #expect(Set(accounts.map(\.geography?.choice)) == [.northAmerica, .europe])
      let identities = try bench.devices.trusted(of: Bench.owner)
      #expect(identities.map(\.geography) == [.northAmerica, .europe])
      #expect(Set(identities.compactMap(\.deviceID)).count == 2)

      // The restart keeps both identities and the configured geography.
      try bench.crash()
      let later = try bench.devices.trusted(of: Bench.owner)
      #expect(later.map(\.geography) == [.northAmerica, .europe] && later.map(\.isPrimary) == [true, false])
      #expect(try bench.devices.geography(of: Bench.owner) == .northAmerica)
      await #expect(throws: RPCError.cannotUpdateGeography) {
        try await bench.devices.configure(.europe, for: Bench.owner)
      }
    }
  }

  @Test("a pairing in another geography that a crash interrupts is resumed there")
  func interrupted() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      bench.platform.pairing.geography = .europe
      let gate = Gate(bench.platform) { call, moment in call == .checkPasscode && moment == .reply }
      let pairing = EventLoop.task { _ = try? await bench.pair() }
      await settle()
      #expect(gate.held.count == 1)
      gate.abandon()
      try bench.crash()
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      try await bench.pairings.resumePairings()
      #expect(try bench.accounts.list(of: Bench.owner).map(\.geography) == [.known(.europe)])
      pairing.cancel()
    }
  }

  @Test("a pairing key with repeated redirects is rejected")
  func circle() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      bench.platform.weather = { (call, _) throws(PlatformError) in
        if case .pair = call { throw .elsewhere(.europe) }
      }
      await #expect(throws: PlatformError.elsewhere(.europe)) { try await bench.pair() }
      #expect(PlatformError.elsewhere(.europe).rpcError == .pairingKey)
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      try await bench.pair()
    }
  }

  @Test("a push is matched to its device by audience and environment")
  func pushes() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.platform.pairing.geography = .europe
      bench.platform.pairing.environment = "e-2"
      let info = try await bench.pair()
      let push = try bench.receive(["aud": .string("d-\(Bench.owner)-Europe"), "env": "e-2"])
      #expect(push?.account == info.account)
      #expect(throws: RPCError.tokenRejected) {
        try bench.receive(["aud": .string("d-\(Bench.owner)-Europe")])
      }
      #expect(throws: RPCError.tokenRejected) { try bench.receive(["aud": "d-other"]) }
    }
  }
}
