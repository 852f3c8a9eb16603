import EventLoop
import JOSE
import JSON
import OpenSSL
import Testing
import Time

@testable import Sandbox

@Suite("AM's device binding journeys", .timeLimit(.minutes(30)))
struct AMKeyTests {
  private static let user = "id=ann,ou=user,o=alpha,ou=services,ou=am-config"

  /// A device with its own key.
  @EventLoop
  private struct Device {
    let client: JourneyClient
    let key: PrivateKey
    let id: String

    init(_ bench: Bench, _ id: String = "k1") async throws {
      client = try await JourneyClient(bench)
      key = try PrivateKey.generateP256()
      self.id = id
    }

    /// The token for the step's challenge, with changes to its claims.
    func token(_ changes: JSONObject = [:], introducesKey: Bool) throws -> JSON {
      let now = TimeSource.system.now().seconds
      var claims: JSONObject = [
        "sub": .string(AMKeyTests.user), "iss": "mfad",
        "challenge": try #require(client.output(0, "challenge")),
        "iat": .int(now), "nbf": .int(now), "exp": .int(now + 60), "platform": "linux",
      ]
      for member in changes.members { claims[member.name] = member.value.isNull ? nil : member.value }
      var header: JSONObject = [:]
      if introducesKey { header["jwk"] = JWK(key.publicKey, keyID: id, algorithm: .es256, use: "sig").json }
      return .string(
        try CompactJWS.sign(
          payload: JSON.object(claims).serialized,
          type: "JWS",
          keyID: id,
          extraHeader: header,
          with: key,
          algorithm: .es256
        )
      )
    }

    func begin(_ choice: Int = 0) async throws {
      client.session = nil
      try await client.start("am-binding")
      let password = try client.bench.user("ann").password
      try await client.next([
        "IDToken1": "ann", "IDToken2": .string(password), "IDToken3": .int(choice),
      ])
    }

    func bind(_ changes: JSONObject = [:]) async throws -> Answer {
      try await begin()
      return try await client.next([
        "IDToken1jws": try token(changes, introducesKey: true), "IDToken1deviceName": "desk",
        "IDToken1deviceId": "d1",
      ])
    }

    /// Starts to sign: 0 is a sign-on, 1 a payment, 2 a sign-on by the key alone.
    func beginSigning(_ choice: Int = 0) async throws {
      client.session = nil
      try await client.start("am-signing")
      try await client.next(["IDToken1": .int(choice)])
      guard choice < 2 else { return }
      let password = try client.bench.user("ann").password
      try await client.next(["IDToken1": "ann", "IDToken2": .string(password)])
    }

    func sign(_ changes: JSONObject = [:], choice: Int = 0) async throws -> Answer {
      try await beginSigning(choice)
      return try await client.next(["IDToken1jws": try token(changes, introducesKey: false)])
    }

    /// The page's message about the outcome.
    var told: String? { client.output(0, "message")?.string }
  }

  @Test("a bound key is listed and signs a sign-on, a payment and a usernameless sign-on")
  func bound() async throws {
    try await Bench.run(flow: nil) { bench in
      let device = try await Device(bench)
      try await device.begin()
      let outputs = ["userId", "username", "authenticationType", "timeout", "attestation"].map {
        device.client.output(0, $0)
      }
      #expect(outputs == [.string(Self.user), "ann", "NONE", 60, false])
      let done = try await device.bind()
      #expect(done.body["tokenId"] != nil)
      let path = "\(JourneyClient.base)/users/ann/devices/2fa/binding"
      let listed =
        try await device.client.send("GET", "\(path)?_queryFilter=true").body["result"]?.array ?? []
      #expect(listed.count == 1 && listed[0]["deviceName"] == "desk" && listed[0]["deviceId"] == "d1")
      #expect(listed[0]["key"]?["kid"] == "k1" && listed[0]["_id"] == listed[0]["uuid"])
      for choice in 0...2 {
        let signed = try await device.sign(choice: choice)
        #expect(signed.body["tokenId"] != nil, "\(choice)")
      }
      try await device.beginSigning(1)
      #expect(device.client.output(0, "challenge") == "Pay 12.50 EUR to Eve")
      let id = try #require(listed[0]["_id"]?.string)
      device.client.session = try #require(done.body["tokenId"]?.string)
      #expect(try await device.client.send("DELETE", "\(path)/\(id)").status == 200)
      _ = try await device.sign(choice: 2)
      #expect(device.told == "The device has not signed: noDeviceRegistered")
    }
  }

  @Test("an invalid token fails, and a client error has its own outcome")
  func outcomes() async throws {
    try await Bench.run(flow: nil) { bench in
      let device = try await Device(bench)
      let wrong: [JSONObject] = [
        ["iss": "other"], ["sub": .null], ["challenge": "c"], ["exp": 5], ["nbf": .int(Int(Int32.max))],
      ]
      for changes in wrong {
        #expect(try await device.bind(changes).status == 401, "\(JSON.object(changes))")
      }
      for error in ["Unsupported", "Abort", "Timeout"] {
        try await device.begin()
        try await device.client.next(["IDToken1clientError": .string(error)])
        #expect(device.told == "The device is not bound: \(error)")
      }
      try await device.begin()
      let challenge = device.client.output(0, "challenge")
      try await device.client.next(["IDToken1jws": "x"])
      #expect(
        device.client.output(0, "challenge") != challenge,
        "without a device's identifier it is asked anew"
      )
      // AM does not compare the user in the token at the binding.
      #expect(try await device.bind(["sub": "id=eve"]).body["tokenId"] != nil)
      let more = wrong + [["sub": "id=bob,ou=user,o=alpha,ou=services,ou=am-config"]]
      for changes in more { #expect(try await device.sign(changes).status == 401, "\(JSON.object(changes))") }
      let stranger = try await Device(bench, "k2")
      _ = try await stranger.sign()
      #expect(stranger.told == "The device has not signed: keyNotFound")
      let thief = try await Device(bench, "k1")
      #expect(try await thief.sign().status == 401)
      #expect(try await stranger.bind().body["tokenId"] != nil)
      try await device.begin()
      #expect(device.told == "The device is not bound: exceedDeviceLimit")
    }
  }

  @Test("biometrics and attestation are requested")
  func demands() async throws {
    try await Bench.run(flow: nil) { bench in
      let device = try await Device(bench)
      try await device.begin(1)
      #expect(device.client.output(0, "authenticationType") == "BIOMETRIC_ALLOW_FALLBACK")
      try await device.begin(2)
      #expect(device.client.output(0, "attestation") == true)
    }
  }
}
