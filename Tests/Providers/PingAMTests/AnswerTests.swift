import Accounts
import Approvals
import ControlAPI
import CourierProtocol
import EventLoop
import Fixtures
import JSON
import JSONRPC
import TestLoop
import TestPlatform
import Testing
import Time
import Vault
import WebAddress

@testable import PingAM

@Suite("answers to PingAM servers", .timeLimit(.minutes(30)))
struct AnswerTests {
  private static func error(_ body: () async throws -> NotificationResult) async -> RPCError? {
    do {
      _ = try await body()
      return nil
    } catch { return RPCError(naming: error) }
  }

  private static func flow(_ name: String) throws -> JSON {
    let flows = try #require(try Fixtures.json("am/push_flows.json")["flows"]?.array)
    return try #require(flows.first { $0["name"]?.string == name }?["request"])
  }

  @Test("approval and denial send the same request as other clients", arguments: ["approve_default", "deny"])
  func flows(name: String) async throws {
    let expected = try Self.flow(name)
    try await AMBench.run { bench in
      try bench.own()
      let push = try bench.receive(try bench.push())
      let result = name == "deny" ? try await bench.deny(push.id) : try await bench.approve(push.id)
      #expect(result.notification.state == (name == "deny" ? .denied : .approved))
      let request = try #require(bench.requests.last)
      #expect(request.url.text == "\(AMSample.endpoint)?_action=authenticate")
      for (name, value) in expected["headers"]?.object?.members.map({ ($0.name, $0.value) }) ?? [] {
        #expect(request.header(name) == value.string)
      }
      let (body, claims) = try bench.lastHeard()
      #expect(body["messageId"] == expected["body"]?["messageId"])
      #expect(claims == expected["jwt_claims"]?.object)
      #expect(await Self.error { try await bench.approve(push.id) }?.code == RPCError.alreadyAnswered.code)
      #expect(bench.requests.count == 1)
    }
  }

  @Test("challenge responses equal those of other clients")
  func responses() async throws {
    let document = try Fixtures.json("am/push_challenge_response.json")
    let vectors = try #require(document["vectors"]?.array)
    #expect(vectors.count == 5)
    for vector in vectors {
      let secret = try #require(vector["secret"]?.string)
      let challenge = try #require(vector["challenge"]?.string)
      try await AMBench.run { bench in
        _ = try await bench.enrol(AMSample.uri(["s": secret, "c": challenge]))
        let body = try JSON(parsing: try #require(bench.requests.first).body)
        let claims = try #require(body["jwt"]?.string?.split(separator: ".").dropFirst().first)
        let decoded = try JSON(parsing: #require(AMSample.decoded(String(claims))))
        #expect(decoded["response"] == vector["response"])
      }
    }
    for vector in try #require(document["reject"]?.array) {
      let (secret, challenge) = (vector["secret"]?.string, vector["challenge"]?.string)
      try await AMBench.run { bench in
        let uri = AMSample.uri(["s": secret, "c": challenge])
        await #expect(throws: RPCError.self) { try await bench.enrol(uri) }
        #expect(bench.requests.isEmpty)
      }
    }
  }

  @Test("a push with numbers is approved only with one of them, and denied without")
  func numbers() async throws {
    try await AMBench.run { bench in
      try bench.own()
      let push = try bench.receive(try bench.push(["k": "challenge", "n": "13,57,88"]))
      #expect(await Self.error { try await bench.approve(push.id) } == .numberRequired)
      // A number that is not on the list cannot be right.
      #expect(
        await Self.error { try await bench.approve(push.id, number: 14) }?.code
          == RPCError.numberMismatch.code
      )
      #expect(bench.requests.isEmpty)
      #expect(try bench.state(of: push.id) == .pending)
      _ = try await bench.approve(push.id, number: 57)
      let claims = try bench.lastHeard().claims
      #expect(claims["challengeResponse"] == "57" && claims["deny"] == nil)
      let other = try bench.receive(
        try bench.push(["k": "challenge", "n": "13,57,88"], id: "AUTHENTICATE:2")
      )
      _ = try await bench.deny(other.id)
      #expect(try Set(bench.lastHeard().claims.names) == ["response", "deny"])
    }
  }

  @Test("a wrong number is reported as such, and another one can be tried")
  func wrongNumber() async throws {
    try await AMBench.run { bench in
      try bench.own()
      let push = try bench.receive(try bench.push(["k": "challenge", "n": "13,57,88"]))
      bench.answer = { [unowned bench] request throws(CourierFailure) in
        (try? bench.heard(request).claims["challengeResponse"] == "88") == true ? .taken : .refused()
      }
      for number in [13, 57] {
        #expect(
          await Self.error { try await bench.approve(push.id, number: number) }?.code
            == RPCError.numberMismatch.code
        )
        #expect(try bench.state(of: push.id) == .pending)
      }
      #expect(try await bench.approve(push.id, number: 88).notification.state == .approved)
      // Another refusal of the server is not a wrong number.
      let plain = try bench.receive(try bench.push(id: "AUTHENTICATE:2"))
      #expect(await Self.error { try await bench.approve(plain.id) }?.code == RPCError.serverError.code)
      #expect(try bench.state(of: plain.id) == .pending)
    }
  }

  @Test("each number is sent once, and after the last one the push expires")
  func allNumbers() async throws {
    try await AMBench.run { bench in
      try bench.own()
      let push = try bench.receive(try bench.push(["k": "challenge", "n": "13,57,88"]))
      bench.answer = { _ throws(CourierFailure) in .refused() }
      for (number, left) in [(13, 2), (13, 2), (57, 1)] {
        let error = await Self.error { try await bench.approve(push.id, number: number) }
        #expect(error?.code == RPCError.numberMismatch.code && error?.details["triesLeft"] == .int(left))
      }
      #expect(bench.requests.count == 2)
      _ = await Self.error { try await bench.approve(push.id, number: 88) }
      #expect(try bench.state(of: push.id) == .expired)
    }
  }

  @Test("a biometric push is approved with the owner's PIN")
  func verifiedPresence() async throws {
    try await AMBench.run { bench in
      try bench.own()
      let push = try bench.receive(try bench.push(["k": "biometric"]))
      try await bench.life.lock.set("280491", current: nil, owner: AMBench.owner)
      let presence = bench.life.approvals.presence
      let error = try #require(await Self.error { try await bench.approve(push.id) })
      #expect(error.details == ["methods": ["pin"]] && bench.requests.isEmpty)
      let approved = try await presence.verifying(.pin("280491"), of: AMBench.owner) {
        try await bench.approve(push.id).notification
      }
      #expect(approved.state == .approved && approved.answer?.authenticationMethod == "pin")
    }
  }

  @Test("a biometric push can be denied, but not approved without user presence")
  func presence() async throws {
    try await AMBench.run { bench in
      try bench.own()
      let push = try bench.receive(try bench.push(["k": "biometric"]))
      let error = try #require(await Self.error { try await bench.approve(push.id) })
      #expect(error.code == RPCError.presenceRequired.code && error.details == ["methods": []])
      #expect(bench.requests.isEmpty)
      #expect(try await bench.deny(push.id).notification.state == .denied)
      #expect(try bench.lastHeard().claims["deny"] == true)
    }
  }

  @Test("an answer that did not reach the server is sent again unchanged")
  func retries() async throws {
    for failure in [CourierResponse.refused(503), nil] {
      try await AMBench.run { bench in
        try bench.own()
        let push = try bench.receive(try bench.push())
        bench.answer = { _ throws(CourierFailure) in
          guard let failure else { throw .timeout }
          return failure
        }
        let expected: RPCError = failure == nil ? .noConnectivity : .serverError
        #expect(await Self.error { try await bench.approve(push.id) }?.code == expected.code)
        #expect(try bench.state(of: push.id) == .sending)
        #expect(await Self.error { try await bench.deny(push.id) }?.code == RPCError.alreadyAnswered.code)
        bench.answer = { _ throws(CourierFailure) in .taken }
        await bench.pass(.seconds(1))
        #expect(try bench.state(of: push.id) == .approved)
        #expect(bench.requests.count == 2)
        #expect(try bench.requests.map { try bench.heard($0).claims }.allSatisfy { $0.names == ["response"] })
      }
    }
  }

  @Test("an answer in flight at a crash is sent again after a restart")
  func crash() async throws {
    // The final state depends on the server: it accepts the answer, rejects it or is unreachable.
    let cases: [(CourierResponse?, NotificationObject.State)] = [
      (.taken, .denied), (.refused(), .expired), (nil, .sending),
    ]
    for (response, state) in cases {
      try await AMBench.run { bench in
        try bench.own()
        let push = try bench.receive(try bench.push())
        bench.answer = { _ throws(CourierFailure) in
          await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
          return .taken
        }
        EventLoop.task { _ = try? await bench.deny(push.id) }
        await TestLoop.settle()
        #expect(bench.requests.count == 1)
        try bench.crash()
        bench.answer = { _ throws(CourierFailure) in
          guard let response else { throw .unreachable }
          return response
        }
        try await bench.life.approvals.resume()
        await bench.pass(.zero)
        #expect(bench.requests.count == 2)
        #expect(try bench.requests.map { try bench.heard($0).claims["deny"] } == [true, true])
        #expect(try bench.state(of: push.id) == state)
        await bench.pass(.seconds(120))
        #expect(try bench.state(of: push.id) == (state == .sending ? .expired : state))
      }
    }
  }

  @Test("a rejected retry is not a wrong number, because the server may have received the first")
  func doubtedNumber() async throws {
    try await AMBench.run { bench in
      try bench.own()
      let push = try bench.receive(try bench.push(["k": "challenge", "n": "13,57,88"]))
      bench.answer = { _ throws(CourierFailure) in throw .timeout }
      #expect(
        await Self.error { try await bench.approve(push.id, number: 57) }?.code
          == RPCError.noConnectivity.code
      )
      bench.answer = { _ throws(CourierFailure) in .refused() }
      await bench.pass(.seconds(1))
      #expect(try bench.state(of: push.id) == .expired)
      let next = try bench.receive(try bench.push(["k": "challenge", "n": "13,57,88"], id: "AUTHENTICATE:2"))
      #expect(
        await Self.error { try await bench.approve(next.id, number: 57) }?.code
          == RPCError.numberMismatch.code
      )
    }
  }

  @Test(
    "a failure before sending, or status 429, leaves no doubt about delivery",
    arguments: [CourierFailure.unresolved, .refused, .tls, nil]
  )
  func unsent(failure: CourierFailure?) async throws {
    try await AMBench.run { bench in
      try bench.own()
      let push = try bench.receive(try bench.push(["k": "challenge", "n": "13,57,88"]))
      bench.answer = { _ throws(CourierFailure) in
        guard let failure else { return .refused(429) }
        throw failure
      }
      #expect(await Self.error { try await bench.approve(push.id, number: 57) } != nil)
      bench.answer = { _ throws(CourierFailure) in .refused() }
      await bench.pass(.seconds(1))
      // The number was wrong, and another one can be tried.
      #expect(try bench.state(of: push.id) == .pending)
      bench.answer = { _ throws(CourierFailure) in .taken }
      _ = try await bench.approve(push.id, number: 88)
      #expect(try bench.state(of: push.id) == .approved)
    }
  }

  @Test("a push is deleted with its account")
  func removed() async throws {
    try await AMBench.run { bench in
      let account = try bench.own()
      let push = try bench.receive(try bench.push())
      _ = try await bench.life.accounts.remove(account, localOnly: true, owner: AMBench.owner)
      #expect(await Self.error { try await bench.approve(push.id) } == .noSuch("request"))
      #expect(throws: RPCError.tokenRejected) { try bench.receive(try bench.push()) }
    }
  }
}
