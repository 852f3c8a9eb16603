import JOSE
import JSON
import OpenSSL
import Testing

@Suite("Signed tokens")
struct CompactJWSTests {
  private let key: PrivateKey
  private let jwk: JWK

  init() throws {
    key = try PrivateKey.generateP256()
    jwk = JWK(key.publicKey)
  }

  private func verify(_ text: String) throws -> VerifiedJWS {
    try CompactJWS(parsing: text).verified(with: jwk, allowing: everyAlgorithm)
  }

  @Test("a signed token verifies with every algorithm of the key")
  func roundTrip() throws {
    let rsa = try PrivateKey.generateRSA(bits: 2048)
    let uses: [(PrivateKey, SignatureAlgorithm)] = [
      (key, .es256), (rsa, .rs256), (rsa, .rs384), (rsa, .rs512), (rsa, .ps256), (rsa, .ps384), (rsa, .ps512),
    ]
    for (key, algorithm) in uses {
      let jwk = JWK(key.publicKey, keyID: "k", algorithm: algorithm, use: "sig")
      let text = try CompactJWS.sign(
        payload: bytes(#"{"a":1}"#),
        type: "test+jwt",
        keyID: "k",
        extraHeader: ["jwk": jwk.json, "n": 7],
        with: key,
        algorithm: algorithm
      )
      let verified = try CompactJWS(parsing: text).verified(with: jwk, allowing: [algorithm])
      #expect(try verified.claims() == ["a": 1])
      #expect(verified.header.algorithm == algorithm.rawValue)
      #expect(verified.header.type == "test+jwt")
      #expect(verified.header.keyID == "k")
      #expect(verified.header.jwk == jwk.json)
      #expect(verified.header.members["n"] == 7)
      #expect(verified.keyID == "k")
    }
  }

  @Test("an unverified token does not print its payload")
  func printing() throws {
    let text = try CompactJWS.sign(
      payload: bytes("hidden"),
      type: nil,
      keyID: nil,
      with: key,
      algorithm: .es256
    )
    let token = try CompactJWS(parsing: text)
    var dumped = "\(token) \([token])"
    dump(token, to: &dumped)
    #expect(!dumped.contains("hidden") && !dumped.contains("\(UInt8(ascii: "h"))"))
  }

  @Test("a shared secret signs and verifies if it is as long as the hash")
  func secrets() throws {
    let secret = Secret(copying: [UInt8](1...32))
    let text = try CompactJWS.sign(payload: bytes("x"), type: "JWT", with: secret)
    let token = try CompactJWS(parsing: text)
    #expect(token.header.members == ["typ": "JWT", "alg": "HS256"])
    #expect(try token.verified(with: JWK(secret), allowing: [.hs256]).payload == bytes("x"))
    #expect(throws: JOSEError.badSignature) {
      try token.verified(with: JWK(Secret(copying: [UInt8](2...33))), allowing: [.hs256])
    }
    #expect(throws: JOSEError.keyMismatch) { try token.verified(with: jwk, allowing: [.hs256]) }
    #expect(throws: JOSEError.unusableKey) {
      try CompactJWS.sign(payload: [], type: nil, with: Secret(copying: [UInt8](1...31)))
    }
  }

  @Test("a key signs only with algorithms of its type")
  func kinds() throws {
    let rsa = try PrivateKey.generateRSA(bits: 2048)
    for algorithm in SignatureAlgorithm.allCases {
      let name = algorithm.rawValue
      if algorithm != .es256 {
        #expect(throws: JOSEError.keyMismatch) {
          try CompactJWS.sign(payload: [], type: nil, keyID: nil, with: key, algorithm: algorithm)
        }
      }
      if name.hasPrefix("ES") || name.hasPrefix("HS") {
        #expect(throws: JOSEError.keyMismatch) {
          try CompactJWS.sign(payload: [], type: nil, keyID: nil, with: rsa, algorithm: algorithm)
        }
      }
    }
  }

  @Test(
    "an extra header cannot replace a standard parameter",
    arguments: ["alg", "typ", "kid", "crit", "b64", "zip"]
  )
  func extraHeader(name: String) {
    #expect(throws: JOSEError.malformed) {
      try CompactJWS.sign(
        payload: [],
        type: nil,
        keyID: nil,
        extraHeader: JSONObject([(name, JSON.string("x"))]),
        with: key,
        algorithm: .es256
      )
    }
  }

  @Test("an algorithm that is not allowed is refused")
  func allowing() throws {
    let text = try CompactJWS.sign(payload: [], type: nil, keyID: nil, with: key, algorithm: .es256)
    let token = try CompactJWS(parsing: text)
    #expect(throws: Never.self) { try token.verified(with: jwk, allowing: [.es256]) }
    for allowed: Set<SignatureAlgorithm> in [[], [.rs256], everyAlgorithm.subtracting([.es256])] {
      #expect(throws: JOSEError.algorithmNotAllowed) { try token.verified(with: jwk, allowing: allowed) }
    }
  }

  @Test("a key for another use or algorithm does not verify")
  func purpose() throws {
    let text = try CompactJWS.sign(payload: [], type: nil, keyID: nil, with: key, algorithm: .es256)
    let changes: [(String, JSON)] = [
      ("use", "enc"), ("use", "SIG"), ("key_ops", []), ("key_ops", ["sign"]), ("alg", "ES384"),
      ("alg", "ECDH-ES"), ("alg", ""),
    ]
    for (name, value) in changes {
      var members = try #require(jwk.json.object)
      members[name] = value
      let other = try JWK(.object(members))
      #expect(throws: JOSEError.keyMismatch) {
        try CompactJWS(parsing: text).verified(with: other, allowing: everyAlgorithm)
      }
    }
  }

  @Test("a token with any changed character is refused")
  func tampering() throws {
    let text = try CompactJWS.sign(
      payload: bytes(#"{"sub":"ann"}"#),
      type: "t",
      keyID: "k",
      with: key,
      algorithm: .es256
    )
    #expect(throws: Never.self) { try verify(text) }
    for changed in Tokens.changed(text) {
      #expect(throws: JOSEError.self, "\(changed)") { try verify(changed) }
    }
    for count in 0..<text.count {
      #expect(throws: JOSEError.self) { try verify(String(text.prefix(count))) }
    }
  }

  @Test("a token that does not have three segments is refused")
  func segments() throws {
    let text = try CompactJWS.sign(payload: [1], type: nil, keyID: nil, with: key, algorithm: .es256)
    let parts = text.split(separator: ".").map(String.init)
    let refused = [
      "", ".", "..", "...", text + ".", "." + text, text + "." + parts[2], parts[0] + "." + parts[1],
      parts[0] + ".." + parts[1] + "." + parts[2], text + "\n", " " + text, text + "=",
    ]
    for text in refused { #expect(throws: JOSEError.malformed) { try CompactJWS(parsing: text) } }
  }

  @Test("a token above the maximum length is refused")
  func length() throws {
    let text = try CompactJWS.sign(payload: [1], type: nil, keyID: nil, with: key, algorithm: .es256)
    #expect(throws: Never.self) { try CompactJWS(parsing: text, maximumLength: text.count) }
    #expect(throws: JOSEError.tooLong) { try CompactJWS(parsing: text, maximumLength: text.count - 1) }
    #expect(throws: JOSEError.tooLong) { try CompactJWS(parsing: String(repeating: "A", count: 65_537)) }
  }

  @Test("claims that are not a strict JSON object are malformed")
  func claims() throws {
    for payload in ["", "[]", "1", #"{"a":1,"a":2}"#, #"{"a":1,}"#, "{}{}", "{\"a\":\"\u{1}\"}"] {
      let text = try Tokens.signed(header: #"{"alg":"ES256"}"#, payload: payload, with: key)
      let verified = try verify(text)
      #expect(verified.payload == bytes(payload))
      #expect(throws: JOSEError.malformed) { try verified.claims() }
    }
  }
}
