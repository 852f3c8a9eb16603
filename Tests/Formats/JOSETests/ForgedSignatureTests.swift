import JOSE
import JSON
import OpenSSL
import Testing

@Suite("Forged signatures")
struct ForgedSignatureTests {
  private let key: PrivateKey
  private let jwk: JWK

  init() throws {
    key = try PrivateKey.generateP256()
    jwk = JWK(key.publicKey)
  }

  private func verify(_ text: String, _ key: JWK? = nil) throws -> VerifiedJWS {
    try CompactJWS(parsing: text).verified(with: key ?? jwk, allowing: everyAlgorithm)
  }

  @Test(
    "an algorithm none or misspelt does not verify, signed or not",
    arguments: [
      "none", "None", "NONE", "nOnE", "none ", "", "null", "es256", "Es256", "ES256 ", "ES256\u{0}",
    ]
  )
  func none(name: String) throws {
    let header = JSON.object(["alg": .string(name)]).text
    #expect(throws: JOSEError.unsupportedAlgorithm) {
      try verify(Tokens.compact(bytes(header), bytes("{}"), []))
    }
    #expect(throws: JOSEError.unsupportedAlgorithm) { try verify(Tokens.signed(header: header, with: key)) }
  }

  @Test("a public key is never used as a shared secret")
  func confusion() throws {
    let rsa = JWK(try PrivateKey.generateRSA(bits: 2048).publicKey)
    let guesses = [
      rsa.json.serialized, try #require(rsa.json["n"]?.string.flatMap { Base64URL.decode($0) }),
      bytes(try #require(rsa.json["n"]?.string)),
    ]
    for guess in guesses {
      let text = try Tokens.authenticated(header: #"{"alg":"HS256"}"#, with: Secret(copying: guess))
      #expect(throws: JOSEError.keyMismatch) { try verify(text, rsa) }
      #expect(throws: JOSEError.keyMismatch) { try verify(text) }
      #expect(throws: JOSEError.unknownKey) {
        try CompactJWS(parsing: text).verified(with: JWKSet([rsa, jwk]), allowing: everyAlgorithm)
      }
    }
  }

  @Test("a shared secret is never used as a public key and must be as long as the hash")
  func secrets() throws {
    func shared(_ count: Int) throws -> (JWK, Secret) {
      let secret = [UInt8](repeating: 3, count: count)
      let key = try JWK(symmetric: ["kty": "oct", "k": .string(Base64URL.encode(secret))])
      return (key, Secret(copying: secret))
    }
    let (key, secret) = try shared(32)
    let text = try Tokens.authenticated(header: #"{"alg":"HS256"}"#, with: secret)
    #expect(throws: Never.self) { try verify(text, key) }
    for name in ["HS384", "HS512", "RS256", "ES256", "PS256"] {
      let text = try Tokens.authenticated(header: #"{"alg":"\#(name)"}"#, with: secret)
      #expect(throws: JOSEError.keyMismatch) { try verify(text, key) }
    }
    let (short, shortSecret) = try shared(31)
    let weak = try Tokens.authenticated(header: #"{"alg":"HS256"}"#, with: shortSecret)
    #expect(throws: JOSEError.keyMismatch) { try verify(weak, short) }
  }

  @Test(
    "an algorithm for another curve or key type is refused",
    arguments: ["ES384", "ES512", "RS256", "PS256"]
  )
  func curves(name: String) throws {
    #expect(throws: JOSEError.keyMismatch) {
      try verify(Tokens.signed(header: #"{"alg":"\#(name)"}"#, with: key))
    }
  }

  @Test("keys and URLs in the header are ignored")
  func embedded() throws {
    let attacker = try PrivateKey.generateP256()
    let own = JWK(attacker.publicKey).json.text
    let members = [
      #""jwk":\#(own)"#, #""jku":"https://evil.example/jwks""#, #""x5u":"https://evil.example/x""#,
      #""x5c":["MIIB"]"#, #""x5t":"AA""#, #""x5t#S256":"AA""#,
    ]
    for member in members {
      let header = #"{"alg":"ES256",\#(member)}"#
      #expect(throws: JOSEError.badSignature) { try verify(Tokens.signed(header: header, with: attacker)) }
      #expect(throws: Never.self) { try verify(Tokens.signed(header: header, with: key)) }
    }
  }

  @Test(
    "a header that is not one strict JSON object with an algorithm is refused",
    arguments: [
      "", "null", "[]", "\"ES256\"", "{}", #"{"alg":null}"#, #"{"alg":1}"#, #"{"alg":["ES256"]}"#,
      #"{"alg":"ES256","alg":"ES256"}"#, #"{"alg":"none","alg":"ES256"}"#,
      #"{"alg":"ES256","\u0061lg":"none"}"#,
      #"{"alg":"ES256",}"#, #"{"alg":"ES256"}{}"#, "\u{FEFF}{\"alg\":\"ES256\"}", #"{"alg":"ES256","kid":1}"#,
      #"{"alg":"ES256","kid":null}"#, #"{"alg":"ES256","typ":{}}"#, #"{"alg":"ES256","jwk":"key"}"#,
      #"{"alg":"ES256","x":[[[[[[[[1]]]]]]]]}"#, #"{"Alg":"ES256"}"#, "{\"alg\":\"ES256\"\u{0}}",
    ]
  )
  func headers(header: String) throws {
    #expect(throws: JOSEError.malformed) { try verify(Tokens.signed(header: header, with: key)) }
  }

  @Test(
    "crit, b64 and zip headers are refused",
    arguments: [
      #""crit":["b64"],"b64":false"#, #""crit":["exp"],"exp":1"#, #""crit":[]"#, #""crit":null"#,
      #""b64":true"#,
      #""b64":false"#, #""zip":"DEF""#,
    ]
  )
  func extensions(members: String) throws {
    #expect(throws: JOSEError.unsupportedHeader) {
      try verify(Tokens.signed(header: #"{"alg":"ES256",\#(members)}"#, with: key))
    }
  }

  @Test("an ECDSA signature with a zero or wrongly sized half is refused")
  func halves() throws {
    let text = try Tokens.signed(header: #"{"alg":"ES256"}"#, with: key)
    let input = text.split(separator: ".").prefix(2).joined(separator: ".")
    let good = try #require(text.split(separator: ".").last.flatMap { Base64URL.decode($0) })
    let zero = [UInt8](repeating: 0, count: 32)
    let der: [UInt8] = [0x30, 0x44, 0x02, 0x20] + good.prefix(32) + [0x02, 0x20] + good.suffix(32)
    let forged: [[UInt8]] = [
      [], zero, zero + zero, zero + good.suffix(32), good.prefix(32) + zero, good.dropLast(), good + [0],
      [0] + good, good + good, der, good.suffix(32) + good.prefix(32), [UInt8](repeating: 0xFF, count: 64),
      [0] + good.prefix(32) + [0] + good.suffix(32),
    ]
    #expect(throws: Never.self) { try verify(input + "." + Base64URL.encode(good)) }
    for signature in forged {
      #expect(throws: JOSEError.badSignature) { try verify(input + "." + Base64URL.encode(signature)) }
    }
  }

  @Test("a signature that is not in canonical base64url is refused")
  func encoding() throws {
    let text = try Tokens.signed(header: #"{"alg":"ES256"}"#, with: key)
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    let last = try #require(text.last.flatMap { alphabet.firstIndex(of: $0) })
    // 64 bytes leave four unused bits in the last character: 15 other spellings encode the same bytes.
    for spelling in 1..<16 {
      let changed = text.dropLast() + String(alphabet[last | spelling])
      #expect(throws: JOSEError.malformed) { try verify(String(changed)) }
    }
    #expect(throws: JOSEError.malformed) { try verify(text + "==") }
  }
}
