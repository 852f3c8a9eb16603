import Configuration
import ControlAPI
import EventLoop
import JSON
import OpenSSL
import PingOne
import SQLite
import Settings
import TestLoop
import TestPlatform
import Testing
import Vault
import WebAddress

@testable import PushRelay

@Suite("push routes of an owner")
struct RelayRoutesTests {
  private static let relay = "push_relay = https://ntfy.example\n"

  /// A paired owner at a machine with a relay.
  @EventLoop
  private struct Stage {
    let bench: Bench
    let routes: RelayRoutes
    let keys: WebPushKeyTable

    init(_ relays: String = relay) async throws {
      bench = try Bench(configuration: Bench.configuration + "\n" + relays, inMemory: true)
      try await bench.pair()
      keys = WebPushKeyTable(vault: bench.life.vault)
      routes = RelayRoutes(bench.life.core, channels: bench.channels)
    }

    @discardableResult
    func choose(_ provider: PushProvider, _ token: String? = nil) async throws -> PushChannelReport {
      let choice = DeviceSetPushToken(provider: provider, token: token)
      return try await bench.channels.setToken(choice, owner: Bench.owner)
    }

    var route: RelayRoute? { get throws { try routes.route(of: Bench.owner) } }
    var hasKeys: Bool { get throws { try keys.keys(of: Bench.owner) != nil } }
    var rows: Int {
      get throws { try bench.life.vault.database.row("SELECT count(*) FROM web_push") { $0.int(0) } ?? 0 }
    }
  }

  @Test("a Web Push subscription is returned to the owner and sent to the platform")
  func subscription() async throws {
    try await TestLoop.run {
      let stage = try await Stage()
      let report = try await stage.choose(.webPush)
      let subscription = try #require(report.subscription)
      #expect(report.isPushEnabled && report.address == nil)
      let address = try #require(WebURL(subscription.endpoint))
      #expect(try stage.route == RelayRoute(address: address, subscription: subscription))
      let told = try #require(stage.bench.platform.channels.last)
      #expect(told.provider == .webPush)
      #expect(try JSON(parsing: Array(#require(told.token).utf8)) == subscription.json)
      let keys = try #require(try stage.keys.keys(of: Bench.owner))
      let message = try WebPushSender(to: keys).message([1, 2, 3])
      #expect(try stage.routes.open(message, for: Bench.owner) == [1, 2, 3])
      #expect(throws: WebPushFault.notOurs) { try stage.routes.open(message, for: 7) }
      #expect(throws: WebPushFault.length) { try stage.routes.open([1], for: Bench.owner) }
    }
  }

  @Test("subscription and address stay the same until the owner chooses another provider")
  func kept() async throws {
    try await TestLoop.run {
      let stage = try await Stage()
      for provider in [PushProvider.webPush, .unifiedPush] {
        let first = try await stage.choose(provider)
        let route = try #require(try stage.route)
        _ = try await stage.bench.channels.setAllowed(false, owner: Bench.owner)
        #expect(try stage.route == nil)
        let unwanted = try await stage.choose(provider)
        #expect(unwanted.address == nil && unwanted.subscription == nil && !unwanted.isPushEnabled)
        let again = try await stage.bench.channels.setAllowed(true, owner: Bench.owner)
        #expect(again.address == first.address && again.subscription == first.subscription)
        #expect(try stage.route == route && stage.routes.owners() == [Bench.owner])
      }
    }
  }

  @Test(
    "another provider deletes the keys, and Web Push then creates new ones",
    arguments: [
      (PushProvider.poll, nil), (.unifiedPush, nil), (.fcm, "t"),
      (.webPush, #"{"endpoint":"https://ntfy.example/x"}"#),
    ] as [(PushProvider, String?)]
  )
  func otherWays(provider: PushProvider, token: String?) async throws {
    try await TestLoop.run {
      let stage = try await Stage()
      let first = try #require(try await stage.choose(.webPush).subscription)
      #expect(try await stage.choose(provider, token).subscription == nil)
      #expect(try stage.rows == 0)
      let second = try #require(try await stage.choose(.webPush).subscription)
      #expect(
        second.keys.publicKey != first.keys.publicKey && second.keys.authSecret != first.keys.authSecret
      )
      #expect(second.endpoint != first.endpoint)
    }
  }

  @Test("a subscription of another program gets no keys and no route, even at the relay")
  func foreign() async throws {
    try await TestLoop.run {
      let stage = try await Stage()
      let other = try await stage.choose(.webPush).subscription
      let text = String(decoding: try #require(other).serialized, as: UTF8.self)
      try await stage.choose(.poll)
      for token in [text, "{", "t", #"{"endpoint":7}"#] {
        let report = try await stage.choose(.webPush, token)
        #expect(report.isPushEnabled && report.subscription == nil && report.address == nil)
        #expect(try stage.route == nil && !stage.hasKeys)
      }
    }
  }

  @Test("Web Push fails without a relay, and a route of a relay no longer configured is unused")
  func relays() async throws {
    try await TestLoop.run {
      let without = try await Stage("")
      await #expect(throws: (any Error).self) { try await without.choose(.webPush) }
      #expect(try without.rows == 0)
      let stage = try await Stage()
      let first = try #require(try await stage.choose(.webPush).subscription)
      stage.bench.life.settings.current = try Configuration(
        parsing: Bench.configuration + "\npush_relay = https://other.example\n",
        file: "mfad.conf"
      )
      #expect(try stage.route == nil)
      let second = try #require(try await stage.choose(.webPush).subscription)
      #expect(second.endpoint.hasPrefix("https://other.example/up") && second.keys != first.keys)
    }
  }

  @Test("keys survive a restart, are sealed for their owner and are deleted with the owner")
  func rest() async throws {
    try await TestLoop.run {
      let stage = try await Stage()
      try await stage.choose(.webPush)
      let database = try stage.bench.life.vault.database
      let known = try #require(try stage.keys.keys(of: Bench.owner))
      let secrets = try [known.authSecret, known.privateKey.scalar].map { $0.withBytes { Array($0) } }
      let stored = try database.row("SELECT auth_secret || private_key || data_key FROM web_push") {
        $0.blob(0)
      }
      for secret in secrets { #expect(try #require(stored).firstRange(of: secret) == nil) }
      let route = try stage.route
      try stage.bench.crash(configuration: Bench.configuration + "\n" + Self.relay)
      let life = stage.bench.life
      let keys = WebPushKeyTable(vault: life.vault)
      let routes = RelayRoutes(life.core, channels: life.channels)
      #expect(try route != nil && routes.route(of: Bench.owner) == route)
      #expect(try keys.keys(of: Bench.owner)?.privateKey.scalar.withBytes { Array($0) } == secrets[1])
      // A row moved to another owner cannot be opened.
      try life.vault.write { try $0.run("UPDATE web_push SET auth_secret = private_key") }
      #expect(try keys.keys(of: Bench.owner) == nil && routes.route(of: Bench.owner) == nil)
      try await life.owners.erase(Bench.owner)
      #expect(try life.vault.database.row("SELECT count(*) FROM web_push") { $0.int(0) } == 0)
    }
  }
}
