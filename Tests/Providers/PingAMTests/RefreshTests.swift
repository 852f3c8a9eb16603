import Accounts
import Approvals
import ControlAPI
import CourierProtocol
import EventLoop
import Fixtures
import JSON
import TestLoop
import Testing
import Time
import Vault
import WebAddress

@testable import PingAM

@Suite("push addresses at PingAM servers", .timeLimit(.minutes(30)))
struct RefreshTests {
  @EventLoop
  private static func change(_ bench: AMBench, _ token: String) throws {
    bench.token = token
    try bench.life.refresh.addressChanged(of: AMBench.owner)
    try bench.life.vault.commit()
  }

  @Test("4: a refresh names the user and the mechanism in the members that the server reads")
  func request() async throws {
    let flows = try #require(try Fixtures.json("am/push_flows.json")["flows"]?.array)
    let expected = try #require(flows.first { $0["name"] == "refresh_token" }?["request"])
    try await AMBench.run { bench in
      try bench.own()
      try Self.change(bench, "FCM-TOKEN-2")
      await TestLoop.settle()
      let request = try #require(bench.requests.first)
      #expect(request.url.text == "\(AMSample.endpoint)?_action=refresh" && request.header("Cookie") == nil)
      let (body, claims) = try bench.lastHeard()
      for name in ["mechanismUid", "username"] { #expect(body[name] == expected["body"]?[name]) }
      #expect(Set(body.object?.names ?? []) == Set(expected["body"]?.object?.names ?? []))
      var told = try #require(expected["jwt_claims"]?.object)
      told["deviceType"] = "linux"
      #expect(claims == told)
    }
  }

  @Test("a new address is sent to every account's server until it arrives, also after a restart")
  func every() async throws {
    try await AMBench.run { bench in
      try bench.own()
      try bench.own("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "other")
      bench.answer = { _ throws(CourierFailure) in throw .timeout }
      try Self.change(bench, "t2")
      await TestLoop.settle()
      #expect(bench.requests.count == 2)
      await bench.pass(.seconds(1))
      #expect(bench.requests.count == 4)
      try bench.crash()
      bench.answer = { _ throws(CourierFailure) in .taken }
      try bench.life.refresh.resume()
      await TestLoop.settle()
      #expect(
        try Set(bench.requests.suffix(2).map { try bench.heard($0).body["mechanismUid"]?.string }).count == 2
      )
      let count = bench.requests.count
      try bench.life.refresh.resume()
      await bench.pass(.seconds(300))
      #expect(bench.requests.count == count)
    }
  }

  @Test("the newest address is sent last")
  func newest() async throws {
    try await AMBench.run { bench in
      try bench.own()
      let gate = AMGate()
      bench.answer = { _ throws(CourierFailure) in
        await gate.wait()
        return .taken
      }
      try Self.change(bench, "t2")
      await TestLoop.settle()
      try Self.change(bench, "t3")
      gate.open()
      await TestLoop.settle()
      #expect(try bench.requests.map { try bench.heard($0).claims["deviceId"] } == ["t2", "t3"])
      #expect(try bench.life.am.table.accountsWithUnsentAddress().isEmpty)
    }
  }

  @Test("a refresh that the server rejects is not repeated")
  func refused() async throws {
    try await AMBench.run { bench in
      try bench.own()
      bench.answer = { _ throws(CourierFailure) in .refused() }
      try Self.change(bench, "t2")
      await bench.pass(.seconds(600))
      #expect(bench.requests.count == 1)
      let push = try #require(bench.life.accounts.list(of: AMBench.owner).first?.authenticators.first)
      #expect(push.status == "FAILED" && push.errorMessage?.contains("refused the push address") == true)
      bench.answer = { _ throws(CourierFailure) in .taken }
      try Self.change(bench, "t3")
      await bench.pass(.seconds(600))
      #expect(
        try bench.life.accounts.list(of: AMBench.owner).first?.authenticators.first?.status == "COMPLETED"
      )
    }
  }

  @Test("an error of a proxy does not end the refresh", arguments: [401, 404, 429])
  func before(status: Int) async throws {
    try await AMBench.run { bench in
      try bench.own()
      bench.answer = { _ throws(CourierFailure) in .refused(status) }
      try Self.change(bench, "t2")
      await bench.pass(.zero)
      bench.answer = { _ throws(CourierFailure) in .taken }
      await bench.pass(.seconds(600))
      #expect(bench.requests.count == 2)
    }
  }

  @Test("a user name missing at enrolment is learnt from a verified push")
  func learnt() async throws {
    try await AMBench.run { bench in
      _ = try await bench.enrol(AMSample.uri(["uid": nil]))
      try Self.change(bench, "t2")
      await TestLoop.settle()
      #expect(bench.requests.count == 1)
      let account = try #require(bench.life.am.active(of: AMBench.owner).first)
      _ = try bench.receive(try bench.push(["u": .string(account.mechanism), "d": "b0b-uid"]))
      await TestLoop.settle()
      #expect(bench.requests.count == 2)
      #expect(try bench.lastHeard().body["username"] == "b0b-uid")
      // A later push does not change the user of an account.
      _ = try bench.receive(
        try bench.push(["u": .string(account.mechanism), "d": "mallory"], id: "AUTHENTICATE:2")
      )
      #expect(try bench.life.am.active(of: AMBench.owner).first?.user == "b0b-uid")
    }
  }

  @Test("an address that changes during registration is sent afterwards")
  func meanwhile() async throws {
    try await AMBench.run { bench in
      bench.answer = { [unowned bench] _ throws(CourierFailure) in
        bench.token = "t2"
        return .taken
      }
      _ = try await bench.enrol()
      await TestLoop.settle()
      #expect(try bench.requests.map { try bench.heard($0).claims["deviceId"] } == ["FCM-TOKEN-1", "t2"])
    }
  }
}
