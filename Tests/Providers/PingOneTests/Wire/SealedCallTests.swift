import ControlAPI
import CourierProtocol
import EventLoop
import JOSE
import JSON
import OpenSSL
import TestLoop
import Testing
import WebAddress

@testable import PingOne

@Suite("sealed calls")
struct SealedCallTests {
  private static func header(_ name: String, of call: SealedCall) -> String? {
    call.request.headers.first { $0.name == name }?.value
  }

  @EventLoop
  private static func proof(of call: SealedCall, by test: TestIdentity) throws -> (JOSEHeader, JSONObject) {
    let text = try #require(header("Device-Proof", of: call))
    let token = try CompactJWS(parsing: text)
    let claims = try token.verified(with: JWK(test.keys.device.publicKey), allowing: [.es256]).claims()
    return (token.header, claims)
  }

  private static func hash(_ bytes: some Sequence<UInt8>) throws -> JSON {
    .string(Base64URL.encode(try digest(Array(bytes), .sha256)))
  }

  @Test("the body is encrypted for the platform, and the proof covers body and URL")
  func body() async throws {
    try await TestLoop.run {
      let test = try TestIdentity()
      let call = try SealedCall(
        DeviceCall(
          method: .post,
          path: "/pairings",
          query: [("a b", "c&d")],
          body: ["pairingKey": "secret-key"]
        ),
        as: test.credentials,
        provenBy: test.keys,
        now: 1_800_000_000
      )
      #expect(call.request.method == .post)
      #expect(call.request.url.text == "https://platform.example/base/device/v1/pairings?a%20b=c%26d")
      #expect(Self.header("Content-Type", of: call) == "application/jose")
      #expect(Self.header("Device-Answer-Key", of: call) == nil)
      let text = String(decoding: call.request.body, as: UTF8.self)
      let plaintext = try CompactJWE.decrypt(text, with: test.platformKey, type: "device-request+jwe")
      let content = try JSON(parsing: plaintext)
      #expect(content["body"] == ["pairingKey": "secret-key"])
      #expect(content["answerKey"] == JWK(call.expected.key.publicKey).json)

      let (header, claims) = try Self.proof(of: call, by: test)
      #expect(header.type == "device-proof+jwt" && header.keyID == test.keys.device.thumbprint)
      #expect(header.jwk == nil)
      #expect(
        claims == [
          "htm": "POST", "htu": .string(call.request.url.text), "iat": 1_800_000_000,
          "jti": .string(call.expected.id),
          "bh": try Self.hash(call.request.body), "sub": "d-1",
        ]
      )
    }
  }

  @Test("a call without a body sends its response key in a header that the proof covers")
  func noBody() async throws {
    try await TestLoop.run {
      let test = try TestIdentity()
      let call = try SealedCall(
        DeviceCall(method: .get, path: "/notifications"),
        as: test.credentials,
        provenBy: test.keys,
        now: 5
      )
      #expect(call.request.body.isEmpty)
      let header = try #require(Self.header("Device-Answer-Key", of: call))
      let key = try JSON(parsing: try #require(Base64URL.decode(header)))
      #expect(key == JWK(call.expected.key.publicKey).json)
      let claims = try Self.proof(of: call, by: test).1
      #expect(claims["ak"] == (try Self.hash(header.utf8)))
      #expect(claims["bh"] == (try Self.hash([])))
    }
  }

  @Test("a device's first call carries its key and no device id")
  func introduction() async throws {
    try await TestLoop.run {
      let test = try TestIdentity(deviceID: nil)
      let call = try SealedCall(
        DeviceCall(method: .post, path: "/trust", body: [:]),
        as: test.credentials,
        provenBy: test.keys,
        now: 5
      )
      let (header, claims) = try Self.proof(of: call, by: test)
      #expect(header.jwk == JWK(test.keys.device.publicKey).json && header.keyID == nil)
      #expect(claims["sub"] == nil)
    }
  }

  @Test("no two calls share an id, a response key or a ciphertext")
  func fresh() async throws {
    try await TestLoop.run {
      let test = try TestIdentity()
      let calls = try (0..<20).map { _ in
        try SealedCall(
          DeviceCall(method: .post, path: "/x", body: [:]),
          as: test.credentials,
          provenBy: test.keys,
          now: 5
        )
      }
      #expect(Set(calls.map(\.expected.id)).count == 20)
      #expect(Set(calls.map(\.expected.key.thumbprint)).count == 20)
      #expect(Set(calls.map(\.request.body)).count == 20)
    }
  }

  @Test("a call without a platform key is not sent")
  func noKey() async throws {
    try await TestLoop.run {
      let test = try TestIdentity(holding: [])
      #expect(throws: PlatformError.failed(.notPlatform)) {
        try SealedCall(
          DeviceCall(method: .get, path: "/x"),
          as: test.credentials,
          provenBy: test.keys,
          now: 5
        )
      }
    }
  }
}
