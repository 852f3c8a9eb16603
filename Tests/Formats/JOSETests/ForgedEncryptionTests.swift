import JOSE
import JSON
import OpenSSL
import Testing

@Suite("Forged encrypted tokens")
struct ForgedEncryptionTests {
  private let key: PrivateKey

  init() throws { key = try PrivateKey.generateP256() }

  /// The parts of a handmade token, valid until the test changes them.
  private struct Draft {
    var header: JSONObject = ["alg": "ECDH-ES", "enc": "A256GCM"]
    var encryptedKey: [UInt8] = []
    var nonce = [UInt8](repeating: 9, count: 12)
    var tagByteCount = 16
  }

  private func token(_ change: (inout Draft) throws -> Void) throws -> String {
    let ephemeral = try PrivateKey.generateP256()
    var draft = Draft()
    draft.header["epk"] = JWK(ephemeral.publicKey).json
    try change(&draft)
    func party(_ name: String) -> [UInt8] {
      draft.header[name]?.string.flatMap { Base64URL.decode($0) } ?? []
    }
    func withLength(_ bytes: [UInt8]) -> [UInt8] { [0, 0, 0, UInt8(bytes.count)] + bytes }
    let info =
      withLength(bytes("A256GCM")) + withLength(party("apu")) + withLength(party("apv")) + [0, 0, 1, 0]
    let contentKey = try singleStepKey(
      from: ephemeral.sharedSecret(with: key.publicKey),
      info: info,
      count: 32
    )
    let header = JSON.object(draft.header).serialized
    let sealed = try AESGCM.seal(
      bytes("text"),
      key: contentKey,
      nonce: Array((draft.nonce + [UInt8](repeating: 0, count: 12)).prefix(12)),
      associatedData: bytes(Base64URL.encode(header))
    )
    let tag = Array((sealed.tag + sealed.tag).prefix(draft.tagByteCount))
    return Tokens.compact(header, draft.encryptedKey, draft.nonce, sealed.ciphertext, tag)
  }

  private func expect(_ error: JOSEError, _ change: (inout Draft) throws -> Void) throws {
    let token = try token(change)
    #expect(throws: error) { try CompactJWE.decrypt(token, with: key, type: nil) }
  }

  @Test("an unchanged handmade token decrypts, with or without apu and apv")
  func honest() throws {
    #expect(try CompactJWE.decrypt(token { _ in }, with: key, type: nil) == bytes("text"))
    let parties = try token {
      $0.header["apu"] = "QWxpY2U"
      $0.header["apv"] = "Qm9i"
    }
    #expect(try CompactJWE.decrypt(parties, with: key, type: nil) == bytes("text"))
  }

  @Test(
    "an unsupported key management algorithm is refused",
    arguments: [
      "none", "dir", "ECDH-ES+A128KW", "ECDH-ES+A256KW", "RSA-OAEP", "RSA1_5", "A256KW", "ecdh-es", "",
    ]
  )
  func keyManagement(name: String) throws {
    try expect(.unsupportedAlgorithm) { $0.header["alg"] = .string(name) }
  }

  @Test(
    "an unsupported content encryption is refused",
    arguments: ["A128CBC-HS256", "A256CBC-HS512", "none", "a256gcm", ""]
  )
  func contentEncryption(name: String) throws {
    try expect(.unsupportedAlgorithm) { $0.header["enc"] = .string(name) }
  }

  @Test("a content encryption other than the used one does not decrypt", arguments: ["A128GCM", "A192GCM"])
  func otherStrength(name: String) throws {
    try expect(.decryptionFailed) { $0.header["enc"] = .string(name) }
  }

  @Test("compression and extensions are refused", arguments: ["zip", "crit", "b64"])
  func extensions(name: String) throws {
    for value: JSON in ["DEF", [], ["exp"], true, .null] {
      try expect(.unsupportedHeader) { $0.header[name] = .some(value) }
    }
  }

  @Test("an ephemeral key must be a point on P-256")
  func ephemeralKey() throws {
    let good = try #require(JWK(key.publicKey).json.object)
    func changed(_ name: String, _ value: JSON) -> JSON {
      var members = good
      members[name] = value
      return .object(members)
    }
    let zero = JSON.string(Base64URL.encode([UInt8](repeating: 0, count: 32)))
    let x = try #require(good["x"])
    let refused: [JSON?] = [
      .none, .some(.null), "key", [], [:], changed("y", x), changed("x", zero), changed("crv", "P-384"),
      ["kty": "EC", "crv": "P-256", "x": zero, "y": zero], changed("kty", "RSA"), changed("kty", "oct"),
      changed("x", "AA"), changed("x", 1), try CompactJWETests.p384Key()?.json,
    ]
    for value in refused { try expect(.malformed) { $0.header["epk"] = value } }
    try expect(.decryptionFailed) { $0.header["epk"] = .object(good) }
  }

  @Test("apu and apv that are not base64url are malformed")
  func parties() throws {
    for value: JSON in [1, "A", "QQ==", .null] {
      try expect(.malformed) { $0.header["apu"] = .some(value) }
      try expect(.malformed) { $0.header["apv"] = .some(value) }
    }
  }

  @Test("an encrypted key, or a nonce or tag of wrong length, is refused")
  func lengths() throws {
    try expect(.malformed) { $0.encryptedKey = [1] }
    for count in [0, 8, 11, 13, 16] {
      try expect(.malformed) { $0.nonce = [UInt8](repeating: 1, count: count) }
    }
    for count in [0, 4, 8, 12, 15, 17, 32] { try expect(.malformed) { $0.tagByteCount = count } }
  }

  @Test("a missing or non-text alg or enc is refused")
  func missing() throws {
    try expect(.malformed) { $0.header["enc"] = nil }
    try expect(.malformed) { $0.header["alg"] = nil }
    try expect(.malformed) { $0.header["enc"] = 1 }
  }
}
