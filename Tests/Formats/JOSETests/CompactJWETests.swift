import JOSE
import JSON
import OpenSSL
import Testing

@Suite("Encrypted tokens")
struct CompactJWETests {
  private let key: PrivateKey
  private let jwk: JWK

  init() throws {
    key = try PrivateKey.generateP256()
    jwk = JWK(key.publicKey, use: "enc")
  }

  @Test("decryption returns the encrypted text", arguments: [0, 1, 15, 16, 17, 1000, 100_000])
  func roundTrip(count: Int) throws {
    let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let token = try CompactJWE.encrypt(plaintext, to: jwk, type: "t+jwe", keyID: "k")
    #expect(try CompactJWE.decrypt(token, with: key, type: "t+jwe") == plaintext)
    #expect(try CompactJWE.unverifiedKeyID(of: token) == "k")
  }

  @Test("the header names the algorithms, and the encrypted key is empty")
  func header() throws {
    let token = try CompactJWE.encrypt([1], to: jwk, type: nil, keyID: nil)
    let segments = token.split(separator: ".", omittingEmptySubsequences: false)
    #expect(segments.count == 5)
    #expect(segments[1].isEmpty)
    let header = try JSON(parsing: #require(Base64URL.decode(segments[0])))
    #expect(header.object?.names == ["alg", "enc", "epk"])
    #expect(header["alg"] == "ECDH-ES")
    #expect(header["enc"] == "A256GCM")
    #expect(header["epk"]?.object?.names == ["kty", "crv", "x", "y"])
    #expect(try CompactJWE.unverifiedKeyID(of: token) == nil)
  }

  @Test("no two tokens share a key or a nonce")
  func fresh() throws {
    let tokens = try (0..<50).map { _ in try CompactJWE.encrypt([1], to: jwk, type: nil, keyID: nil) }
    for index in [0, 2, 3, 4] {
      let segments = tokens.map { $0.split(separator: ".", omittingEmptySubsequences: false)[index] }
      // One byte of ciphertext has 256 values; the other segments never repeat.
      #expect(Set(segments).count >= (index == 3 ? 20 : 50))
    }
  }

  @Test("a token of another type is refused")
  func type() throws {
    let typed = try CompactJWE.encrypt([1], to: jwk, type: "a+jwe", keyID: nil)
    let untyped = try CompactJWE.encrypt([1], to: jwk, type: nil, keyID: nil)
    #expect(throws: Never.self) { try CompactJWE.decrypt(typed, with: key, type: nil) }
    #expect(throws: JOSEError.wrongType) { try CompactJWE.decrypt(typed, with: key, type: "A+jwe") }
    #expect(throws: JOSEError.wrongType) { try CompactJWE.decrypt(typed, with: key, type: "b+jwe") }
    #expect(throws: JOSEError.wrongType) { try CompactJWE.decrypt(untyped, with: key, type: "a+jwe") }
  }

  @Test("decryption with another key fails")
  func otherKey() throws {
    let token = try CompactJWE.encrypt([1], to: jwk, type: nil, keyID: nil)
    let other = try PrivateKey.generateP256()
    #expect(throws: JOSEError.decryptionFailed) { try CompactJWE.decrypt(token, with: other, type: nil) }
    let rsa = try PrivateKey.generateRSA(bits: 2048)
    #expect(throws: JOSEError.keyMismatch) { try CompactJWE.decrypt(token, with: rsa, type: nil) }
  }

  @Test("encryption refuses a key that is not for key agreement on P-256")
  func recipients() throws {
    let changes: [(String, JSON)] = [
      ("use", "sig"), ("alg", "ES256"), ("alg", "ECDH-ES+A128KW"), ("key_ops", ["verify"]), ("key_ops", []),
    ]
    for (name, value) in changes {
      var members = try #require(JWK(key.publicKey).json.object)
      members[name] = value
      let other = try JWK(.object(members))
      #expect(throws: JOSEError.keyMismatch) {
        try CompactJWE.encrypt([1], to: other, type: nil, keyID: nil)
      }
    }
    for (name, value): (String, JSON) in [("alg", "ECDH-ES"), ("key_ops", ["deriveBits"])] {
      var members = try #require(JWK(key.publicKey).json.object)
      members[name] = value
      let other = try JWK(.object(members))
      #expect(throws: Never.self) { try CompactJWE.encrypt([1], to: other, type: nil, keyID: nil) }
    }
    let rsa = JWK(try PrivateKey.generateRSA(bits: 2048).publicKey)
    #expect(throws: JOSEError.keyMismatch) { try CompactJWE.encrypt([1], to: rsa, type: nil, keyID: nil) }
    let p384 = try #require(try Self.p384Key())
    #expect(throws: JOSEError.keyMismatch) { try CompactJWE.encrypt([1], to: p384, type: nil, keyID: nil) }
  }

  /// The key of RFC 7520 section 5.4.1, on P-384.
  static func p384Key() throws -> JWK? {
    try JWK([
      "kty": "EC", "crv": "P-384",
      "x": "YU4rRUzdmVqmRtWOs2OpDE_T5fsNIodcG8G5FWPrTPMyxpzsSOGaQLpe2FpxBmu2",
      "y": "A8-yxCHxkfBz3hKZfI1jUYMjUhsEveZ9THuwFjH2sCNdtksRJU7D5-SkgaFL1ETP",
    ])
  }

  @Test("a token with any changed character is refused")
  func tampering() throws {
    let token = try CompactJWE.encrypt(bytes("text"), to: jwk, type: "t", keyID: "k")
    for changed in Tokens.changed(token) {
      #expect(throws: JOSEError.self, "\(changed)") { try CompactJWE.decrypt(changed, with: key, type: "t") }
    }
    for count in 0..<token.count {
      #expect(throws: JOSEError.self) {
        try CompactJWE.decrypt(String(token.prefix(count)), with: key, type: "t")
      }
    }
  }

  @Test("a token above the maximum length is refused")
  func length() throws {
    let token = try CompactJWE.encrypt([1], to: jwk, type: nil, keyID: nil)
    let count = token.utf8.count
    #expect(throws: Never.self) {
      try CompactJWE.decrypt(token, with: key, type: nil, maximumLength: count)
    }
    #expect(throws: JOSEError.tooLong) {
      try CompactJWE.decrypt(token, with: key, type: nil, maximumLength: count - 1)
    }
    #expect(throws: JOSEError.tooLong) {
      try CompactJWE.unverifiedKeyID(of: token, maximumLength: count - 1)
    }
    for other in ["", "a.b.c", token + ".", token + ".AA", "." + token] {
      #expect(throws: JOSEError.malformed) { try CompactJWE.unverifiedKeyID(of: other) }
    }
  }
}
