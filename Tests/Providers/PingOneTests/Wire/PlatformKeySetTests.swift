import ControlAPI
import EventLoop
import JOSE
import JSON
import OpenSSL
import TestLoop
import Testing

@testable import PingOne

@Suite("platform key sets")
struct PlatformKeySetTests {
  /// The error of an introduction if the peer cannot prove that it is the platform.
  private static let foreign = PlatformError.refused(.trustFailed.withCause(.notPlatform))

  private static func keySet(
    _ keys: [PrivateKey],
    version: JSON = 2,
    by signer: PrivateKey,
    type: String = "platform-keys+jwt"
  ) throws -> [UInt8] {
    let claims: JSONObject = [
      "keys": .array(keys.map { JWK($0.publicKey, keyID: $0.thumbprint).json }), "version": version,
    ]
    return Array(try signer.sign(claims, type: type).utf8)
  }

  @EventLoop
  private static func verify(
    _ bytes: [UInt8],
    holding held: [PrivateKey] = [],
    version: Int = 0,
    pinned: [PrivateKey] = []
  ) throws -> PlatformKeySet {
    let platform = try TestIdentity(holding: held, version: version).platform
    return try PlatformKeySet(verifying: bytes, held: platform.held, pinned: Set(pinned.map(\.thumbprint)))
  }

  @Test("the first key set is trusted if no key is known or pinned")
  func first() async throws {
    try await TestLoop.run {
      let (key, next) = (try PrivateKey.generateP256(), try PrivateKey.generateP256())
      let set = try Self.verify(try Self.keySet([key, next], by: key))
      #expect(set.version == 2)
      #expect(set.keys.map(\.thumbprint) == [key.thumbprint, next.thumbprint])
    }
  }

  @Test("a pinned key must have signed the set, also if other keys are known")
  func pinned() async throws {
    try await TestLoop.run {
      let (key, other) = (try PrivateKey.generateP256(), try PrivateKey.generateP256())
      #expect(throws: Never.self) { try Self.verify(try Self.keySet([key], by: key), pinned: [key, other]) }
      #expect(throws: Never.self, "the others come with it") {
        try Self.verify(try Self.keySet([key, other], by: key), pinned: [key])
      }
      let refusals: [(keys: [PrivateKey], by: PrivateKey, held: [PrivateKey], cause: ErrorCause)] = [
        ([other], other, [], .notPinned), ([other], other, [other], .notPinned),
        ([key, other], other, [other], .notPlatform), ([other], key, [key], .notPinned),
      ]
      for (index, refusal) in refusals.enumerated() {
        let bytes = try Self.keySet(refusal.keys, by: refusal.by)
        #expect(throws: PlatformError.refused(.trustFailed.withCause(refusal.cause)), "\(index)") {
          try Self.verify(bytes, holding: refusal.held, pinned: [key])
        }
      }
    }
  }

  @Test("a known key must have signed the set and be in it")
  func held() async throws {
    try await TestLoop.run {
      let (key, next, stranger) = (
        try PrivateKey.generateP256(), try PrivateKey.generateP256(), try PrivateKey.generateP256()
      )
      #expect(throws: Never.self, "a rotation") {
        try Self.verify(try Self.keySet([key, next], by: key), holding: [key])
      }
      for bytes in [
        try Self.keySet([next], by: next), try Self.keySet([next], by: key),
        try Self.keySet([key, next], by: next),
        try Self.keySet([stranger, key], by: stranger),
      ] {
        #expect(throws: Self.foreign) { try Self.verify(bytes, holding: [key]) }
      }
    }
  }

  @Test("a lower version is rejected, and an equal one is accepted")
  func version() async throws {
    try await TestLoop.run {
      let key = try PrivateKey.generateP256()
      for (version, isTaken) in [(1, false), (6, false), (7, true), (8, true)] {
        let bytes = try Self.keySet([key], version: .int(version), by: key)
        let set = try? Self.verify(bytes, holding: [key], version: 7)
        #expect((set != nil) == isTaken, "\(version)")
      }
      for version in ["8", .null, .number(JSONNumber(8.5))] as [JSON] {
        let bytes = try Self.keySet([key], version: version, by: key)
        #expect(throws: Self.foreign) { try Self.verify(bytes, holding: [key]) }
      }
    }
  }

  @Test("a malformed or unsigned key set is rejected")
  func nonsense() async throws {
    try await TestLoop.run {
      let key = try PrivateKey.generateP256()
      let good = try Self.keySet([key], by: key)
      let nonsense: [[UInt8]] = [
        [], [0xFF], Array("{}".utf8), Array(good.prefix { $0 != UInt8(ascii: ".") }), good + [0x0A],
        try Self.keySet([key], by: key, type: "JWT"), try Self.keySet([], by: key),
        Array(try key.sign(["keys": "none", "version": 2], type: "platform-keys+jwt").utf8),
        Array(try key.sign(["version": 2], type: "platform-keys+jwt").utf8),
      ]
      for (index, bytes) in nonsense.enumerated() {
        #expect(throws: PlatformError.failed(.malformed), "\(index)") { try Self.verify(bytes) }
      }
    }
  }

  @Test("a key set changed after signing is rejected")
  func forged() async throws {
    try await TestLoop.run {
      let (key, evil) = (try PrivateKey.generateP256(), try PrivateKey.generateP256())
      let good = String(decoding: try Self.keySet([key], by: key), as: UTF8.self).split(separator: ".")
      let claims: JSON = [
        "keys": [
          JWK(evil.publicKey, keyID: evil.thumbprint).json, JWK(key.publicKey, keyID: key.thumbprint).json,
        ],
        "version": 2,
      ]
      let forged = "\(good[0]).\(Base64URL.encode(claims.serialized)).\(good[2])"
      #expect(throws: Self.foreign) { try Self.verify(Array(forged.utf8)) }
    }
  }
}
