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

@Suite("What servers hear of accounts that another authenticator had", .timeLimit(.minutes(30)))
struct TakenOverTests {
  @Test("the account goes on under its id, and the server is told where its pushes go, once it is stored")
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
      #expect(try bench.life.am.table.untold().isEmpty)
      let push = try bench.receive(try bench.push())
      #expect(push.account == account.id)
      _ = try await bench.approve(push.id)
      #expect(bench.requests.last?.url.text == "\(AMSample.endpoint)?_action=authenticate")
    }
  }

  @Test("a server that cannot be reached hears of it later, also after a start")
  func unreachable() async throws {
    try await AMBench.run { bench in
      bench.answer = { _ throws(CourierFailure) in throw .timeout }
      _ = try await ImportSample.take(bench)
      #expect(try bench.life.am.table.untold().count == 1)
      try bench.crash()
      bench.answer = { _ throws(CourierFailure) in .taken }
      try bench.life.refresh.resume()
      await TestLoop.settle()
      #expect(bench.requests.count == 2)
      #expect(try bench.life.am.table.untold().isEmpty)
    }
  }

  @Test("as long as nothing here could come or be answered, its pushes go on to where they went")
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

  @Test("a server that knows the identity by a name that is not told hears of it after the first push")
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
