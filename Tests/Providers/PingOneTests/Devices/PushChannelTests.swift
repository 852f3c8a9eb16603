import Configuration
import ControlAPI
import EventLoop
import Glibc
import Interleaving
import JOSE
import JSON
import JSONRPC
import OpenSSL
import SQLite
import TestLoop
import TestNetwork
import TestPlatform
import Testing

@testable import PingOne

extension Bench {
  @discardableResult
  func setToken(_ params: JSONObject) async throws -> PushChannelReport {
    try await life.channels.setToken(DeviceSetPushToken(parsing: .object(params)), owner: Self.owner)
  }

  @discardableResult
  func allowPushes(_ isAllowed: Bool) async throws -> PushChannelReport {
    try await life.channels.setAllowed(isAllowed, owner: Self.owner)
  }

  var isPolling: Bool {
    get throws { try isPolling() }
  }
}

@Suite("push channels", .timeLimit(.minutes(30)))
struct PushChannelTests {
  @Test("pushes are enabled if they are allowed and either polled or a token is set")
  func rule() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let told = try #require(bench.platform.channels.last)
      #expect((told.provider, told.isAllowed, told.token) == (.poll, true, nil))
      #expect(try await bench.setToken(["provider": "FCM", "token": "t-1"]).isPushEnabled)
      #expect(try await !bench.allowPushes(false).isPushEnabled)
      #expect(try await !bench.setToken(["provider": "POLL"]).isPushEnabled)
      #expect(try await bench.allowPushes(true).isPushEnabled)
      let told2 = bench.platform.channels.dropFirst().map {
        ($0.provider, $0.isAllowed, $0.token)
      }
      #expect(told2.map(\.0) == [.fcm, .fcm, .poll, .poll])
      #expect(told2.map(\.1) == [true, false, false, true])
      #expect(told2.map(\.2) == ["t-1", "t-1", nil, nil])
    }
  }

  @Test("a provider without a token, a token for polling and an environment for FCM are rejected")
  func refusals() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      for provider in PushProvider.allCases where provider != .poll {
        for token in [nil, ""] as [JSON?] {
          var params: JSONObject = ["provider": .string(provider.rawValue)]
          params["token"] = token
          await #expect(throws: RPCError.deviceTokenMissing) { try await bench.setToken(params) }
        }
      }
      await #expect(throws: RPCError.invalidParameter("token")) {
        try await bench.setToken(["provider": "POLL", "token": "t"])
      }
      await #expect(throws: RPCError.invalidParameter("environment")) {
        try await bench.setToken(["provider": "FCM", "token": "t", "environment": "sandbox"])
      }
      #expect(bench.platform.channels.count == 1)
      let tooLong = RPCError.invalidParameter("token", hasToBe: "a text of at most 4096 characters")
      #expect(throws: tooLong) {
        try DeviceSetPushToken(
          parsing: ["provider": "FCM", "token": .string(String(repeating: "x", count: 4097))]
        )
      }
    }
  }

  @Test("APNS uses the production environment unless the sandbox is requested")
  func environments() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      try await bench.setToken(["provider": "APNS", "token": "t"])
      try await bench.setToken(["provider": "APNS", "token": "t", "environment": "sandbox"])
      try await bench.setToken(["provider": "HMS", "token": "t"])
      #expect(bench.platform.channels.map(\.environment) == [nil, .production, .sandbox, nil])
    }
  }

  @Test("a channel set before pairing applies to the new pairing")
  func before() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.setToken(["provider": "UNIFIEDPUSH", "token": "https://push.example/x"])
      let count = bench.platform.channels.count
      try await bench.pair()
      #expect(bench.platform.channels.count == count)
      #expect(bench.platform.channels.last?.token == "https://push.example/x")
      #expect(try !bench.isPolling)
    }
  }

  @Test("polling starts and stops with the push channel")
  func polling() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      #expect(try bench.isPolling)
      try await bench.allowPushes(false)
      #expect(try !bench.isPolling)
      try await bench.allowPushes(true)
      #expect(try bench.isPolling)
      try await bench.setToken(["provider": "FCM", "token": "t"])
      #expect(try !bench.isPolling)
      try await bench.pair()
      #expect(try !bench.isPolling)
      try bench.crash()
      try await bench.poller.resume()
      #expect(try !bench.isPolling)
      try await bench.setToken(["provider": "POLL"])
      #expect(try bench.isPolling)
    }
  }

  @Test("a push is accepted when another transport is configured")
  func otherTransport() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      try await bench.setToken(["provider": "FCM", "token": "t"])
      #expect(try bench.receive()?.state == .pending)
    }
  }

  @Test("a failed registration is retried with the newest channel")
  func later() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.platform.weather = { (call, _) throws(PlatformError) in
        if call == .registerPush { throw .outOfReach }
      }
      let report = try await bench.setToken(["provider": "FCM", "token": "t-1"])
      #expect(report.isPushEnabled)
      #expect(report.errors.map(\.geography) == [.known(.northAmerica)])
      #expect(report.errors.map(\.code) == [RPCError.noConnectivity.code])
      _ = try await bench.setToken(["provider": "FCM", "token": "t-2"])
      await bench.pass(.seconds(3))
      #expect(bench.platform.channels.count == 1)
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      await bench.pass(.seconds(10))
      #expect(bench.platform.channels.compactMap(\.token) == ["t-2"])
      await bench.pass(.seconds(600))
      #expect(bench.platform.channels.count == 2, "nothing is told twice")
    }
  }

  @Test("each geography is registered, and a failure in one does not prevent the others")
  func geographies() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.platform.pairing.geography = .europe
      bench.platform.pairing.user = User(id: "u-2", username: "eve")
      try await bench.pair()
      let before = bench.platform.channels.count
      var failures = 1
      bench.platform.weather = { (call, _) throws(PlatformError) in
        guard call == .registerPush, failures > 0 else { return }
        failures -= 1
        throw .brokenDown
      }
      let report = try await bench.allowPushes(false)
      #expect((report.isPushEnabled, report.errors.map(\.code)) == (false, [RPCError.serverError.code]))
      #expect(bench.platform.channels.count == before + 1)
      await bench.pass(.seconds(2))
      let told = bench.platform.channels.dropFirst(before)
      #expect(Set(told.map(\.geography)) == [.northAmerica, .europe] && told.count == 2)
      #expect(told.allSatisfy { !$0.isAllowed })
    }
  }

  @Test("the mobile payload states whether pushes are enabled")
  func payload() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      for isAllowed in [true, false] {
        try await bench.allowPushes(isAllowed)
        let payload = try await bench.payloads.make(for: Bench.owner).mobilePayload
        let key = try bench.keys().answer.publicKey
        let claims = try CompactJWS(parsing: payload).verified(with: JWK(key), allowing: [.es256]).claims()
        #expect(claims["pushEnabled"] == .bool(isAllowed))
      }
    }
  }

  @Test("a registration that a crash interrupted is sent after the restart")
  func crash() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      bench.platform.weather = { (call, _) throws(PlatformError) in
        if call == .registerPush { throw .outOfReach }
      }
      try await bench.setToken(["provider": "FCM", "token": "t-1"])
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      try bench.crash()
      bench.reports.start()
      await settle()
      #expect(bench.platform.channels.last?.token == "t-1")
    }
  }

  @Test("the newer one of two concurrent changes is registered last")
  func order() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      let gate = Gate(bench.platform) { call, moment in call == .registerPush && moment == .request }
      let first = EventLoop.task { try await bench.setToken(["provider": "FCM", "token": "t-1"]) }
      await settle()
      let second = EventLoop.task { try await bench.setToken(["provider": "HMS", "token": "t-2"]) }
      await settle()
      #expect(gate.held.count == 1, "one telling at a time")
      await gate.release()
      await gate.release()
      _ = try await first.value
      _ = try await second.value
      #expect(bench.platform.channels.last?.token == "t-2")
      try bench.crash()
      bench.reports.start()
      await settle()
      #expect(bench.platform.channels.last?.token == "t-2")
    }
  }

  @Test("the token is encrypted in the database")
  func sealed() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      try await bench.pair()
      try await bench.setToken(["provider": "FCM", "token": "canary-of-the-token"])
      for name in ["mfad.db", "mfad.db-wal"] {
        guard let file = fopen("\(bench.statePath)/\(name)", "r") else { continue }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        #expect(bytes.firstRange(of: Array("canary-of".utf8)) == nil, "\(name)")
        if name == "mfad.db" { #expect(bytes.count > 1000) }
      }
      try bench.crash()
      #expect(try bench.devices.table.pushToken(of: Bench.owner) == "canary-of-the-token")
    }
  }
}
