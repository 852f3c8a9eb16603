import Accounts
import Configuration
import ControlAPI
import EventLoop
import Interleaving
import JOSE
import JSON
import JSONRPC
import OpenIDConnect
import OpenSSL
import TestLoop
import TestPlatform
import Testing

@testable import PingOne
import Time
import Vault

/// The key that signs the ID tokens of these tests.
private let issuerKey = Result { try PrivateKey.generateP256() }

extension Bench {
  /// A verified token with a valid pairing claim and `changes` to its members.
  fileprivate func token(
    _ changes: JSONObject = [:],
    payload: String?,
    user: String = "u-1",
    environment: JSON? = "e-1"
  ) throws -> IDToken {
    let now = clock.now.seconds
    var claim: JSONObject = [
      "key": "01ABCDEFGHJKMN", "device": "d-1000", "expiresAt": .string(clock.now.adding(seconds: 300).text),
    ]
    claim["payload"] = payload.map { .string($0) }
    for member in changes.members { claim[member.name] = member.value.isNull ? nil : member.value }
    return try token(
      claims: ["mfa_pairing": .object(claim), "env": environment ?? .null],
      user: user,
      now: now
    )
  }

  fileprivate func token(claims: JSONObject, user: String = "u-1", now: Int? = nil) throws -> IDToken {
    let now = now ?? clock.now.seconds
    var all: JSONObject = [
      "iss": "i", "aud": "desk", "sub": .string(user), "iat": .int(now), "exp": .int(now + 300),
      "jti": .string(try OpaqueID.make()), "preferred_username": "ann",
    ]
    for member in claims.members { all[member.name] = member.value }
    let key = try issuerKey.get()
    let text = try CompactJWS.sign(
      payload: JSON.object(all).serialized,
      type: "JWT",
      keyID: "i",
      with: key,
      algorithm: .es256
    )
    return try IDToken(
      verifying: text,
      keys: JWKSet([JWK(key.publicKey, keyID: "i")]),
      IDToken.Expectation(issuer: "i", clientID: "desk", algorithms: [.es256], nonce: nil),
      now: Timestamp(seconds: now)
    )
  }

  /// Returns the id of a new mobile payload of an owner.
  fileprivate func payload(_ owner: UInt32 = Bench.owner) async throws -> String {
    let text = try await life.payloads.make(for: owner).mobilePayload
    let claims = try CompactJWS(parsing: text)
      .verified(with: JWK(keys(of: owner).answer.publicKey), allowing: [.es256]).claims()
    return try #require(claims["jti"]?.string)
  }

  fileprivate func request(_ token: IDToken) async throws -> PairingRequest? {
    try await life.pairings.pairingRequest(of: token, owner: Self.owner)
  }
}

@Suite("pairing by an ID token", .timeLimit(.minutes(30)))
struct TokenPairingTests {
  @Test("a mobile payload states its audience, subject, issuer and expiry")
  func payload() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let answer = try await bench.payloads.make(for: Bench.owner, challenge: "c")
      let token = try CompactJWS(parsing: answer.mobilePayload)
      #expect(token.header.type == "mobile-payload+jwt")
      let claims = try token.verified(with: JWK(bench.keys().answer.publicKey), allowing: [.es256]).claims()
      let now = bench.clock.now.seconds
      #expect(claims["iat"] == .int(now) && claims["exp"] == .int(now + 120))
      #expect(claims["aud"] == "https://auth.example/e-1/as" && claims["sub"] == "d-1000")
      #expect(claims["posture"] == Bench.posture)
      #expect(claims["client_id"] == "desk" && claims["cnf"] == "c" && claims["iss"] == "mfad")
      #expect(answer.expiresAt == bench.clock.now.adding(seconds: 120))
    }
  }

  @Test("only configured issuers and the platform's own are accepted")
  func issuers() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      #expect(
        try await bench.devices.acceptedIssuers(of: Bench.owner) == [
          "https://auth.example/e-1/as", "https://platform.example/as",
        ]
      )
    }
  }

  @Test("a pairing requested by a token waits for its owner's approval, also over a crash")
  func approved() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let request = try #require(try await bench.request(try bench.token(payload: try await bench.payload())))
      #expect(request.user == User(id: "u-1", username: "ann") && request.environment.id == "e-1")
      #expect(request.expiresAt == bench.clock.now.adding(seconds: 300))
      #expect(bench.events.map(\.topic) == [.pairing])
      #expect(!bench.platform.calls.contains(.pair("01ABCDEFGHJKMN")), "nothing happens before that")
      try bench.crash()
      #expect(try bench.pairings.pairingRequests(of: Bench.owner).map(\.id) == [request.id])
      await #expect(throws: RPCError.noSuch("pairing")) {
        try await bench.pairings.approvePairing(request.id, owner: 7)
      }
      _ = try await bench.pairings.approvePairing(request.id, owner: Bench.owner)
      #expect(try bench.pairings.pairingRequests(of: Bench.owner).isEmpty)
      await #expect(throws: RPCError.noSuch("pairing")) {
        try await bench.pairings.approvePairing(request.id, owner: Bench.owner)
      }
    }
  }

  @Test("a token without the claim, or of a paired user, creates no pairing request")
  func nothing() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      #expect(try await bench.request(try bench.token(claims: [:])) == nil)
      try await bench.pair()
      let payload = try await bench.payload()
      #expect(try await bench.request(try bench.token(payload: payload)) == nil)
      let other = try bench.token(payload: payload, user: "u-2")
      await #expect(throws: RPCError.tokenRejected, "the payload is used up") {
        try await bench.request(other)
      }
    }
  }

  @Test("a claim with one defect is rejected, and its payload stays valid")
  func refused() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let payload = try await bench.payload()
      let now = bench.clock.now.seconds
      let defects: [JSONObject] = [
        ["key": .null], ["key": "short"], ["key": 7], ["device": .null], ["device": "d-7"],
        ["payload": .null],
        ["payload": "unknown"], ["payload": 1], ["expiresAt": .null], ["expiresAt": .int(now)],
        ["expiresAt": "2020-01-01T00:00:00Z"], ["expiresAt": "tomorrow"],
      ]
      for defect in defects {
        let token = try bench.token(defect, payload: payload)
        await #expect(throws: RPCError.tokenRejected, "\(JSON.object(defect).text)") {
          try await bench.request(token)
        }
      }
      for claim in ["yes", [], .null] as [JSON] {
        let token = try bench.token(claims: ["mfa_pairing": claim])
        await #expect(throws: RPCError.tokenRejected, "\(claim.text)") { try await bench.request(token) }
      }
      #expect(try await bench.request(try bench.token(payload: payload)) != nil)
    }
  }

  @Test(
    "a token and a payload are accepted once, by their owner and before expiry, also over a crash"
  )
  func once() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let payload = try await bench.payload()
      let token = try bench.token(payload: payload)
      let id = try #require(try await bench.request(token)).id
      await #expect(throws: RPCError.tokenRejected) { try await bench.request(token) }
      #expect(try bench.pairings.pairingRequests(of: Bench.owner).map(\.id) == [id])
      try bench.pairings.ignorePairing(id, owner: Bench.owner)
      try bench.crash()
      for again in [token, try bench.token(payload: payload)] {
        await #expect(throws: RPCError.tokenRejected) { try await bench.request(again) }
      }
      #expect(try bench.pairings.pairingRequests(of: Bench.owner).isEmpty)
      let foreign = try bench.token(payload: try await bench.payload(7))
      await #expect(throws: RPCError.tokenRejected) { try await bench.request(foreign) }
      let old = try await bench.payload()
      bench.clock.pass(.seconds(15 * 60 + 1))
      let late = try bench.token(payload: old)
      await #expect(throws: RPCError.tokenRejected) { try await bench.request(late) }
    }
  }

  @Test("at most eight pairing requests wait, and expired, ignored or completed ones free a slot")
  func quota() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      var ids: [String] = []
      for index in 0..<8 {
        let token = try bench.token(payload: try await bench.payload(), user: "u-\(index)")
        ids.append(try #require(try await bench.request(token)).id)
      }
      let payload = try await bench.payload()
      let ninth = try bench.token(payload: payload, user: "u-9")
      await #expect(throws: RPCError.quota(8, "pairings that wait")) { try await bench.request(ninth) }
      #expect(Set(try bench.pairings.pairingRequests(of: Bench.owner).map(\.id)) == Set(ids))
      #expect(throws: RPCError.noSuch("pairing")) { try bench.pairings.ignorePairing(ids[0], owner: 7) }
      try bench.pairings.ignorePairing(ids[0], owner: Bench.owner)
      #expect(throws: RPCError.noSuch("pairing")) {
        try bench.pairings.ignorePairing(ids[0], owner: Bench.owner)
      }
      #expect(try await bench.request(ninth) != nil, "neither the token nor the payload was used up")

      bench.clock.pass(.seconds(300))
      #expect(try bench.pairings.pairingRequests(of: Bench.owner).isEmpty)
      await #expect(throws: RPCError.expired) {
        try await bench.pairings.approvePairing(ids[1], owner: Bench.owner)
      }
      #expect(try await bench.request(try bench.token(payload: try await bench.payload())) != nil)
    }
  }

  @Test("a pairing with an unreachable platform waits again, and a refused one is deleted")
  func failures() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let id = try #require(try await bench.request(try bench.token(payload: try await bench.payload()))).id
      for (step, moment) in [
        (.pair("01ABCDEFGHJKMN"), .request), (.pair("01ABCDEFGHJKMN"), .reply), (.checkPasscode, .request),
        (.checkPasscode, .reply),
      ] as [(TestPlatform.Call, TestPlatform.Moment)] {
        bench.platform.weather = { (call, when) throws(PlatformError) in
          if call == step, when == moment { throw .outOfReach }
        }
        await #expect(throws: PlatformError.outOfReach) {
          try await bench.pairings.approvePairing(id, owner: Bench.owner)
        }
        #expect(
          try bench.pairings.pairingRequests(of: Bench.owner).map(\.id) == [id],
          "\(step) \(moment)"
        )
      }
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .refused(.pairingKey) }
      await #expect(throws: PlatformError.refused(.pairingKey)) {
        try await bench.pairings.approvePairing(id, owner: Bench.owner)
      }
      #expect(try bench.pairings.pairingRequests(of: Bench.owner).isEmpty)
      #expect(try bench.vault.rows(.account) == 0)
    }
  }

  @Test("a running pairing cannot be ignored or approved again, and survives a crash")
  func crash() async throws {
    try await TestLoop.run {
      let bench = try Bench()
      let id = try #require(try await bench.request(try bench.token(payload: try await bench.payload()))).id
      let gate = Gate(bench.platform) { call, _ in call == .checkPasscode }
      EventLoop.task { _ = try? await bench.pairings.approvePairing(id, owner: Bench.owner) }
      await settle()
      #expect(gate.held.count == 1)
      #expect(throws: RPCError.pairingRunning) {
        try bench.pairings.ignorePairing(id, owner: Bench.owner)
      }
      await #expect(throws: RPCError.pairingRunning) {
        try await bench.pairings.approvePairing(id, owner: Bench.owner)
      }
      gate.abandon()
      try bench.crash()
      bench.platform.weather = { (_, _) throws(PlatformError) in throw .outOfReach }
      try await bench.pairings.resumePairings()
      #expect(try bench.pairings.pairingRequests(of: Bench.owner).map(\.id) == [id])
      bench.platform.weather = { (_, _) throws(PlatformError) in }
      _ = try await bench.pairings.approvePairing(id, owner: Bench.owner)
      #expect(try bench.accounts.list(of: Bench.owner).count == 1)
    }
  }
}
