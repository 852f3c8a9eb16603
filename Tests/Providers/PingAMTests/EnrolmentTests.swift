import AMEnrolments
import Accounts
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

@Suite("enrolments at PingAM servers", .timeLimit(.minutes(30)))
struct EnrolmentTests {
  /// Returns the error of a call, or nil if it succeeds.
  private static func error(_ body: () async throws -> Account) async -> RPCError? {
    do {
      _ = try await body()
      return nil
    } catch { return RPCError(naming: error) }
  }

  @Test("a registration sends the same request as other clients")
  func request() async throws {
    let flows = try #require(try Fixtures.json("am/push_flows.json")["flows"]?.array)
    let expected = try #require(flows.first { $0["name"] == "register" }?["request"])
    try await AMBench.run { bench in
      let account = try await bench.enrol()
      let request = try #require(bench.requests.first)
      #expect(request.method == .post && request.url.text == "\(AMSample.endpoint)?_action=register")
      for (name, value) in expected["headers"]?.object?.members.map({ ($0.name, $0.value) }) ?? [] {
        #expect(request.header(name) == value.string)
      }
      let (body, claims) = try bench.lastHeard()
      #expect(body["messageId"] == expected["body"]?["messageId"])
      #expect(Set(body.object?.names ?? []) == ["messageId", "jwt"])
      var told = try #require(expected["jwt_claims"]?.object)
      // The mechanism is created here, and the device type is not a phone.
      told["mechanismUid"] = .string(try #require(bench.life.am.active(of: AMBench.owner).first).mechanism)
      told["deviceType"] = "linux"
      #expect(claims == told)
      #expect(account.kind == .pushAM && account.issuer == "Acme" && account.label == "bob")
      #expect(account.authenticators == [PairedAuthenticator(type: "PUSH", status: "COMPLETED")])
      #expect(account.user?.id == "b0b-uid" && account.state == .active)
    }
  }

  @Test("without a push transport the device id is the mechanism and not empty")
  func noTransport() async throws {
    try await AMBench.run { bench in
      bench.token = nil
      _ = try await bench.enrol(AMSample.uri(["l": nil]))
      let claims = try bench.lastHeard().claims
      #expect(claims["deviceId"]?.string?.isEmpty == false && claims["deviceId"] == claims["mechanismUid"])
      #expect(bench.requests.first?.header("Cookie") == nil)
    }
  }

  @Test("an enrolment that must fail sends no request and leaves no row")
  func refusals() async throws {
    try await AMBench.run { bench in
      bench.facts.hasBiometrics = false
      let policies = AMSample.encoded(#"{"biometricAvailable": {}}"#)
      let elsewhere = AMSample.encoded("https://other.example/?_action=register")
      let answer = AMSample.encoded("https://other.example/?_action=authenticate")
      let cases: [(String, Int, JSON?)] = [
        (AMSample.uri(["policies": policies]), RPCError.policyRefuses.code, ["policy": "biometricAvailable"]),
        (AMSample.uri(["r": elsewhere, "a": answer]), RPCError.originRefused.code, ["key": "am_origin"]),
        (AMSample.uri(["s": "AAAA"]), RPCError.invalidParams.code, ["parameter": "uri"]),
        (AMSample.combined(["secret": "AAAA"]), RPCError.invalidParams.code, ["parameter": "uri"]),
      ]
      for (uri, code, details) in cases {
        let error = try #require(await Self.error { try await bench.enrol(uri) })
        #expect(error.code == code && JSON.object(error.details) == details, "\(uri)")
      }
      #expect(bench.requests.isEmpty)
      #expect(try bench.life.vault.rows(.account) == 0)
    }
  }

  @Test("the journey server accepts enrolments unless am_origin is configured")
  func origins() async throws {
    try await AMBench.run(configuration: "journey_server = https://am.example/am") { bench in
      _ = try await bench.enrol()
    }
    let both =
      "journey_server = https://am.example/am\nam_origin = https://b.example\nam_origin = https://c.example"
    try await AMBench.run(configuration: both) { bench in
      #expect(await Self.error { try await bench.enrol() }?.code == RPCError.originRefused.code)
    }
    try await AMBench.run(configuration: "") { bench in
      #expect(await Self.error { try await bench.enrol() }?.code == RPCError.originRefused.code)
    }
  }

  @Test("a duplicate account is rejected before any request, another account is accepted")
  func duplicates() async throws {
    try await AMBench.run { bench in
      _ = try await bench.enrol()
      #expect(await Self.error { try await bench.enrol() } == .conflict)
      #expect(await Self.error { try await bench.enrol(AMSample.combined()) } == .conflict)
      #expect(bench.requests.count == 1)
      _ = try await bench.enrol(AMSample.uri(label: "Acme:ann"))
      let oath = "otpauth://totp/Acme:eve?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
      _ = try await bench.enrol(oath)
      let combined = AMSample.combined().replacing("Acme:bob", with: "Acme:eve")
      #expect(await Self.error { try await bench.enrol(combined) } == .conflict)
      #expect(bench.requests.count == 2)
      _ = try await bench.enrol(AMSample.uri(label: "Acme:eve"))
    }
  }

  @Test("the number of accounts per owner is limited")
  func room() async throws {
    try await AMBench.run { bench in
      for number in 0..<Accounts.limit { _ = try await bench.enrol(AMSample.uri(label: "Acme:\(number)")) }
      #expect(await Self.error { try await bench.enrol() }?.code == RPCError.quota.code)
      #expect(bench.requests.count == Accounts.limit)
    }
  }

  @Test("a registration that the server does not accept leaves no account")
  func untaken() async throws {
    let cases: [(Result<CourierResponse, CourierFailure>, RPCError)] = [
      (.success(.refused()), .tokenRejected), (.success(.refused(404)), .serverError),
      (.success(.refused(302)), .serverError), (.success(.refused(500)), .serverError),
      (.success(CourierResponse(status: 201, headers: [], body: [])), .serverError),
      (.failure(.timeout), .noConnectivity), (.failure(.tls), .noConnectivity),
    ]
    for (outcome, expected) in cases {
      try await AMBench.run { bench in
        bench.answer = { _ throws(CourierFailure) in try outcome.get() }
        for uri in [AMSample.uri(), AMSample.combined()] {
          #expect(await Self.error { try await bench.enrol(uri) }?.code == expected.code)
          #expect(try bench.life.vault.rows(.account) == 0)
        }
        bench.answer = { _ throws(CourierFailure) in .taken }
        _ = try await bench.enrol()
      }
    }
  }

  @Test("both halves of a combined enrolment become active together")
  func combined() async throws {
    try await AMBench.run { bench in
      bench.answer = { [unowned bench] _ throws(CourierFailure) in
        #expect((try? bench.life.accounts.list(of: AMBench.owner).count) == 0)
        return .taken
      }
      let account = try await bench.enrol(AMSample.combined())
      #expect(account.authenticators.map(\.type) == ["PUSH", "OTP"])
      let passcode = try #require(
        try bench.life.passcodes.passcode(of: account.id, next: false, owner: AMBench.owner).timed
      )
      #expect(passcode.current.passcode.count == 6 && passcode.period == 30)
    }
  }

  @Test(
    "an enrolment interrupted by a crash is discarded at the next start"
  )
  func crash() async throws {
    try await AMBench.run { bench in
      let gate = AMGate()
      bench.answer = { _ throws(CourierFailure) in
        await gate.wait()
        return .taken
      }
      EventLoop.task { _ = try? await bench.enrol() }
      await TestLoop.settle()
      #expect(try bench.life.vault.rows(.account) == 1)
      try bench.crash()
      gate.open()
      await TestLoop.settle()
      #expect(try bench.life.accounts.list(of: AMBench.owner).isEmpty)
      try bench.life.enroller.resume()
      #expect(try bench.life.vault.rows(.account) == 0)
      bench.answer = { _ throws(CourierFailure) in .taken }
      _ = try await bench.enrol()
    }
  }

  @Test("resumption does not discard an enrolment in progress")
  func underWay() async throws {
    try await AMBench.run { bench in
      let gate = AMGate()
      bench.answer = { _ throws(CourierFailure) in
        await gate.wait()
        return .taken
      }
      let enrolment = EventLoop.task { try await bench.enrol() }
      await TestLoop.settle()
      try bench.life.enroller.resume()
      gate.open()
      #expect(try await enrolment.value.state == .active)
    }
  }

  @Test("data that only the registration needs is not kept")
  func forgotten() async throws {
    try await AMBench.run { bench in
      _ = try await bench.enrol()
      try bench.life.vault.emptyLog()
      for secret in [AMSample.registration, "amlbcookie", "6f1d3b1e"] {
        #expect(try !bench.directory.holds(secret), "\(secret)")
      }
    }
  }

  @Test("erasing an owner deletes everything of their accounts")
  func erasure() async throws {
    try await AMBench.run { bench in
      _ = try await bench.enrol(AMSample.combined())
      try bench.own()
      _ = try bench.receive(try bench.push())
      try await bench.life.accounts.core.owners.erase(AMBench.owner)
      #expect(try bench.life.am.table.owners().isEmpty)
      #expect(try bench.life.vault.rows(.account) == 0)
      #expect(throws: RPCError.tokenRejected) { try bench.receive(try bench.push()) }
    }
  }

  @Test("an account is removed only locally, because the server requires a sign-on")
  func removal() async throws {
    try await AMBench.run { bench in
      let account = try await bench.enrol()
      let refusal = RPCError.policyRefuses.code
      do {
        _ = try await bench.life.accounts.remove(account.id, localOnly: false, owner: AMBench.owner)
        Issue.record("it was removed")
      } catch let error as RPCError {
        #expect(error.code == refusal && error.details == ["policy": "sign-on-needed"])
      }
      #expect(try await bench.life.accounts.remove(account.id, localOnly: true, owner: AMBench.owner))
      #expect(try bench.life.vault.rows(.account) == 0)
      _ = try await bench.enrol()
    }
  }
}
