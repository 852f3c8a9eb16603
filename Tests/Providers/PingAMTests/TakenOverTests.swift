import AMEnrolments
import Accounts
import ControlAPI
import CourierProtocol
import EventLoop
import JSON
import TestLoop
import TestPlatform
import Testing
import Vault
import WebAddress

@testable import PingAM

@Suite("address refresh of imported PingAM accounts", .timeLimit(.minutes(30)))
struct TakenOverTests {
  @Test("an import keeps the account's ids and sends its push address after the commit")
  func takingOver() async throws {
    try await AMBench.run { bench in
      let account = try #require(try await ImportSample.take(bench).accounts.first)
      #expect(account.kind == .pushAM && account.issuer == "Acme" && account.label == "bob")
      #expect(account.state == .active && account.authenticators.map(\.type) == ["PUSH"])
      #expect(account.user?.id == "b0b-uid")
      let known = try #require(bench.life.am.active(of: AMBench.owner).first)
      #expect(known.mechanism == AMBench.mechanism && known.resource == "phone-1")
      let (body, claims) = try bench.lastHeard()
      #expect(bench.requests.map(\.url.text) == ["\(AMSample.endpoint)?_action=refresh"])
      #expect(body["mechanismUid"]?.string == AMBench.mechanism && body["username"] == "b0b-uid")
      #expect(claims["deviceId"] == "FCM-TOKEN-1" && claims["mechanismUid"]?.string == AMBench.mechanism)
      #expect(try bench.life.am.table.accountsWithUnsentAddress().isEmpty)
      let push = try bench.receive(try bench.push())
      #expect(push.account == account.id)
      _ = try await bench.approve(push.id)
      #expect(bench.requests.last?.url.text == "\(AMSample.endpoint)?_action=authenticate")
    }
  }

  @Test("an unreachable server gets the address later, also after a restart")
  func unreachable() async throws {
    try await AMBench.run { bench in
      bench.answer = { _ throws(CourierFailure) in throw .timeout }
      _ = try await ImportSample.take(bench)
      #expect(try bench.life.am.table.accountsWithUnsentAddress().count == 1)
      try bench.crash()
      bench.answer = { _ throws(CourierFailure) in .taken }
      try bench.life.refresh.resume()
      await TestLoop.settle()
      #expect(bench.requests.count == 2)
      #expect(try bench.life.am.table.accountsWithUnsentAddress().isEmpty)
    }
  }

  @Test("the address is not sent while no push could arrive or be answered")
  func notYet() async throws {
    try await AMBench.run { bench in
      bench.token = nil
      _ = try await ImportSample.take(bench)
      #expect(bench.requests.isEmpty)
      try bench.crash()
      try bench.life.refresh.resume()
      await TestLoop.settle()
      #expect(bench.requests.isEmpty)
      bench.token = "FCM-TOKEN-2"
      try bench.life.refresh.addressChanged(of: AMBench.owner)
      await TestLoop.settle()
      #expect(try bench.lastHeard().claims["deviceId"] == "FCM-TOKEN-2")
    }
    try await AMBench.run { bench in
      bench.facts.hasBiometrics = false
      let policies = #"{"biometricAvailable":{}}"#
      _ = try await ImportSample.take(bench, ImportSample.records(account: ["policies": .string(policies)]))
      #expect(bench.requests.isEmpty)
      bench.facts.hasBiometrics = true
      _ = try bench.life.accounts.list(of: AMBench.owner)
      try bench.life.vault.commit()
      await TestLoop.settle()
      #expect(try bench.lastHeard().claims["deviceId"] == "FCM-TOKEN-1")
    }
  }

  @Test("the address of an import without a user name is sent after the first push")
  func unnamed() async throws {
    try await AMBench.run { bench in
      _ = try await ImportSample.take(bench, ImportSample.records(["uid": .null]))
      #expect(bench.requests.isEmpty)
      _ = try bench.receive(try bench.push(["d": "b0b-uid"]))
      await TestLoop.settle()
      #expect(try bench.lastHeard().body["username"] == "b0b-uid")
    }
  }
}
