import Fixtures
import JOSE
import JSON
import OpenSSL
import Testing

@Suite("JSON Web Keys")
struct JWKTests {
  private let ec: JSON
  private let rsa: JSON

  init() throws {
    ec = JWK(try PrivateKey.generateP256().publicKey).json
    rsa = JWK(try PrivateKey.generateRSA(bits: 2048).publicKey).json
  }

  private func with(_ json: JSON, _ changes: KeyValuePairs<String, JSON?>) throws -> JSON {
    var members = try #require(json.object)
    for (name, value) in changes { members[name] = value }
    return .object(members)
  }

  @Test("the members of a key survive serialization")
  func roundTrip() throws {
    let key = JWK(try PrivateKey.generateP256().publicKey, keyID: "k1", algorithm: .es256, use: "sig")
    let again = try JWK(JSON(parsing: key.json.serialized))
    #expect(again.json == key.json)
    #expect(again.keyID == "k1")
    #expect(again.algorithm == .es256)
    #expect(again.use == "sig")
    #expect(again.publicKey?.components == key.publicKey?.components)
    #expect(again.thumbprint == key.thumbprint)
    let operations = try JWK(with(rsa, ["key_ops": ["verify"]]))
    #expect(operations.keyOperations == ["verify"])
    #expect(operations.json["key_ops"] == ["verify"])
  }

  @Test("private members are not kept")
  func privateMembers() throws {
    // Long enough that no thumbprint contains it by chance.
    let secret = "canary-canary-canary-canary-canary-canary-c"
    let key = try JWK(with(ec, ["d": .string(secret)]))
    #expect(key.json == ec)
    #expect(!"\(key)".contains(secret))
  }

  @Test("a symmetric key is parsed only on request and does not show its secret")
  func symmetric() throws {
    let text = Base64URL.encode([UInt8](repeating: 0x5A, count: 32))
    let json: JSON = ["kty": "oct", "k": .string(text), "kid": "shared"]
    #expect(throws: JOSEError.unusableKey) { try JWK(json) }
    #expect(throws: JOSEError.unusableKey) { try JWK(symmetric: ec) }
    let key = try JWK(symmetric: json)
    #expect(key.publicKey == nil)
    #expect(key.json == ["kty": "oct", "kid": "shared"])
    #expect(!"\(key)".contains(text) && !"\(key)".contains("90, 90"))
  }

  @Test("the thumbprint of a symmetric key follows RFC 7638 section 3.2")
  func symmetricThumbprint() throws {
    let json: JSON = ["kty": "oct", "k": "Zm9v"]
    let expected = Base64URL.encode(try digest(#"{"k":"Zm9v","kty":"oct"}"#.utf8, .sha256))
    #expect(try JWK(symmetric: json).thumbprint == expected)
  }

  @Test("a member of wrong type or encoding is malformed")
  func malformed() throws {
    let refused: [JSON] = [
      "key", [], try with(ec, ["kty": 1]), try with(ec, ["x": 1]), try with(ec, ["x": "A"]),
      try with(ec, ["kid": 1]), try with(ec, ["alg": []]), try with(ec, ["use": true]),
      try with(ec, ["key_ops": "verify"]), try with(ec, ["key_ops": [1]]), try with(rsa, ["n": ""]),
      try with(rsa, ["e": "AAEAAQ"]), try with(rsa, ["n": "AA"]),
    ]
    for json in refused { #expect(throws: JOSEError.malformed) { try JWK(json) } }
  }

  @Test(
    "an optional member that is null counts as absent",
    arguments: ["kid", "use", "alg", "key_ops", "x5c"]
  )
  func null(name: String) throws {
    #expect(try JWK(with(ec, [name: .null])).json == ec)
  }

  @Test("a key that is incomplete, of an unsupported type or weak is refused")
  func unusable() throws {
    let refused: [JSON] = [
      [:], ["kty": "OKP", "crv": "Ed25519", "x": "AA"], ["kty": "OKP", "crv": "Ed25519"],
      ["kty": "OKP", "crv": "X25519", "x": .string(Base64URL.encode([UInt8](repeating: 9, count: 32)))],
      ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode([UInt8](repeating: 0, count: 32)))],
      ["kty": "OKP", "x": .string(Base64URL.encode([UInt8](repeating: 9, count: 32)))],
      try with(ec, ["kty": "ec"]),
      try with(ec, ["crv": nil]), try with(ec, ["crv": "secp256k1"]), try with(ec, ["crv": "P-384"]),
      try with(ec, ["y": nil]), try with(ec, ["y": ec["x"]]), try with(rsa, ["e": nil]),
      try with(rsa, ["e": "AQ"]), try with(rsa, ["e": "Aw"]), try with(rsa, ["n": "AQAB"]),
      try with(rsa, ["kty": "EC"]), try with(ec, ["kty": "RSA"]),
    ]
    for json in refused { #expect(throws: JOSEError.unusableKey) { try JWK(json) } }
  }
}

@Suite("JSON Web Key Sets")
struct JWKSetTests {
  private let one: PrivateKey
  private let other: PrivateKey

  init() throws {
    one = try PrivateKey.generateP256()
    other = try PrivateKey.generateP256()
  }

  private func verify(_ token: String, _ keys: [JWK]) throws -> VerifiedJWS {
    try CompactJWS(parsing: token).verified(with: JWKSet(keys), allowing: everyAlgorithm)
  }

  private func token(keyID: String?) throws -> String {
    try CompactJWS.sign(payload: [], type: nil, keyID: keyID, with: one, algorithm: .es256)
  }

  @Test("unusable keys of a set are skipped")
  func skipping() throws {
    let good = JWK(one.publicKey, keyID: "a")
    let set = try JWKSet(
      [
        "keys": [
          ["kty": "OKP", "crv": "Ed25519", "x": "AA"], good.json, ["kty": "oct", "k": "AAAA", "kid": "s"], 7,
          ["kty": "EC", "crv": "P-256"],
        ]
      ]
    )
    #expect(set.keys.map(\.keyID) == ["a"])
    #expect(set.key(id: "a")?.thumbprint == good.thumbprint)
    #expect(set.key(id: "s") == nil)
    #expect(set.json == ["keys": [good.json]])
  }

  @Test("a malformed set and a set of more than 64 keys are refused")
  func malformed() throws {
    for json: JSON in [[], [:], ["keys": [:]], ["keys": "none"], .null] {
      #expect(throws: JOSEError.malformed) { try JWKSet(json) }
    }
    let key = JWK(one.publicKey)
    #expect(try JWKSet(["keys": .array(Array(repeating: key.json, count: 64))]).keys.count == 64)
    #expect(throws: JOSEError.tooLong) {
      try JWKSet(["keys": .array(Array(repeating: key.json, count: 65))])
    }
    #expect(throws: JOSEError.tooLong) { try JWKSet(Array(repeating: key, count: 65)) }
  }

  @Test("the key of a token is selected by key id, compared byte by byte")
  func naming() throws {
    let keys = [JWK(other.publicKey, keyID: "b"), JWK(one.publicKey, keyID: "\u{e9}")]
    let verified = try verify(token(keyID: "\u{e9}"), keys)
    #expect(verified.keyID == "\u{e9}")
    #expect(verified.thumbprint == keys[1].thumbprint)
    #expect(throws: JOSEError.unknownKey) { try verify(token(keyID: "e\u{301}"), keys) }
    #expect(throws: JOSEError.unknownKey) { try verify(token(keyID: "c"), keys) }
    #expect(throws: JOSEError.badSignature) { try verify(token(keyID: "b"), keys) }
    #expect(throws: JOSEError.unknownKey) { try verify(token(keyID: "c"), []) }
  }

  @Test("a token without a key id verifies only if exactly one key fits")
  func nameless() throws {
    let rsa = JWK(try PrivateKey.generateRSA(bits: 2048).publicKey, keyID: "r")
    let mine = JWK(one.publicKey, keyID: "a")
    #expect(try verify(token(keyID: nil), [rsa, mine]).keyID == "a")
    #expect(throws: JOSEError.ambiguousKey) { try verify(token(keyID: nil), [mine, JWK(other.publicKey)]) }
    #expect(throws: JOSEError.unknownKey) { try verify(token(keyID: nil), [rsa]) }
    #expect(throws: JOSEError.unknownKey) { try verify(token(keyID: nil), []) }
  }

  @Test("a key id of two keys is accepted only if exactly one of them fits")
  func duplicates() throws {
    let mine = JWK(one.publicKey, keyID: "a")
    let encrypting = JWK(other.publicKey, keyID: "a", use: "enc")
    #expect(try verify(token(keyID: "a"), [encrypting, mine]).thumbprint == mine.thumbprint)
    #expect(throws: JOSEError.keyMismatch) { try verify(token(keyID: "a"), [encrypting]) }
    #expect(throws: JOSEError.ambiguousKey) {
      try verify(token(keyID: "a"), [JWK(other.publicKey, keyID: "a"), mine])
    }
  }

  @Test("a key that is listed several times counts once", arguments: [nil, "a"])
  func repeated(keyID: String?) throws {
    let key = JWK(one.publicKey, keyID: keyID, algorithm: .es256)
    for again in [key, JWK(one.publicKey, keyID: keyID), JWK(one.publicKey, keyID: keyID, use: "sig")] {
      for keys in [[key, again], [again, key]] {
        #expect(try verify(token(keyID: keyID), keys).thumbprint == key.thumbprint)
      }
      #expect(throws: JOSEError.ambiguousKey) {
        try verify(token(keyID: keyID), [key, JWK(other.publicKey, keyID: keyID), again])
      }
    }
  }

  @Test("a set with public and symmetric keys is refused")
  func mixed() throws {
    let secret: JSON = ["kty": "oct", "k": .string(Base64URL.encode([UInt8](repeating: 1, count: 32)))]
    #expect(throws: JOSEError.ambiguousKey) {
      try JWKSet([JWK(symmetric: secret), JWK(one.publicKey)])
    }
    #expect(try JWKSet([JWK(symmetric: secret)]).keys.count == 1)
  }
}
