import ControlAPI
import JOSE
import JSON
import OpenSSL
import PlatformWire
import Testing
import Time

@testable import OpenIDConnect

@Suite("ID token verification")
struct IDTokenTests {
  private static let now = Timestamp(seconds: 1_800_000_000)
  private static let rsa = Result { try PrivateKey.generateRSA(bits: 2048) }
  private static let otherRSA = Result { try PrivateKey.generateRSA(bits: 2048) }
  private static let ec = Result { try PrivateKey.generateP256() }

  private static func keys() throws -> JWKSet {
    try JWKSet([
      JWK(try rsa.get().publicKey, keyID: "rsa", algorithm: .rs256, use: "sig"),
      JWK(try ec.get().publicKey, keyID: "ec", algorithm: .es256),
      JWK(try otherRSA.get().publicKey, keyID: "enc", use: "enc"),
    ])
  }

  private static func good() throws -> Forgery {
    Forgery(
      header: ["alg": "RS256", "kid": "rsa", "typ": "JWT"],
      claims: [
        "iss": "https://auth.example/e-1/as", "aud": "desk", "sub": "u-1", "exp": .int(now.seconds + 300),
        "iat": .int(now.seconds - 5), "nonce": "n-1", "env": "e-1", "preferred_username": "ann",
        "given_name": "Ann", "family_name": "Lee", "email": "a@b.c",
      ],
      key: try rsa.get(),
      scheme: .pkcs1(.sha256)
    )
  }

  private static func verify(
    _ text: String,
    issuer: String = "https://auth.example/e-1/as",
    algorithms: Set<SignatureAlgorithm> = [.rs256],
    nonce: String? = "n-1"
  ) throws -> IDToken {
    try IDToken(
      verifying: text,
      keys: keys(),
      IDToken.Expectation(issuer: issuer, clientID: "desk", algorithms: algorithms, nonce: nonce),
      now: now
    )
  }

  @Test("a valid token yields its user, environment and expiry")
  func accepted() throws {
    let token = try Self.verify(try Self.good().text())
    #expect(token.user == User(id: "u-1", username: "ann", email: "a@b.c", given: "Ann", family: "Lee"))
    #expect(token.environment == "e-1")
    #expect(token.expiresAt == Self.now.adding(seconds: 300))
    #expect(token.digest.count == 32)
  }

  @Test("optional and unspecified claims of OpenID Connect are accepted")
  func variants() throws {
    let variants: [(inout Forgery) -> Void] = [
      { $0.header["typ"] = nil }, { $0.claims["aud"] = ["desk"] },
      { $0.claims["azp"] = "desk" },
      { token in
        token.claims["aud"] = ["other", "desk"]
        token.claims["azp"] = "desk"
      },
      { $0.claims["nbf"] = .int(Self.now.seconds + 60) }, { $0.claims["iat"] = .int(Self.now.seconds + 60) },
      { token in
        token.claims["exp"] = .int(Self.now.seconds - 59)
        token.claims["iat"] = .int(Self.now.seconds - 400)
      },
      { $0.claims["env"] = nil }, { $0.claims["email"] = 7 }, { $0.claims["exp"] = .int(.max) },
      { $0.header["jku"] = "https://evil.example/keys" }, { $0.header["typ"] = "jwt" },
      { $0.header["typ"] = "application/JWT" },
      { $0.claims["exp"] = .number(JSONNumber(1.8e9 + 0.5)) },
      { $0.claims["iat"] = .number(JSONNumber(1.8e9 - 4.25)) },
      { $0.claims["nbf"] = .number(JSONNumber(1.8e9 + 60.5)) },
    ]
    for (index, change) in variants.enumerated() {
      var token = try Self.good()
      change(&token)
      let text = try token.text()
      #expect(throws: Never.self, "\(index)") { try Self.verify(text) }
    }
  }

  @Test(
    "any sub value of at most 255 bytes is accepted as the user's id",
    arguments: [
      "(usr!bjensen)", "ann@example.com", "auth0|5f7c", "uid=ann,ou=people,dc=example", "ann lee", "YW5u+/==",
      "../u", "Зоя",
      String(repeating: "u", count: 255),
    ]
  )
  func subjects(subject: String) throws {
    var token = try Self.good()
    token.claims["sub"] = .string(subject)
    let user = try Self.verify(try token.text()).user
    #expect(user == User(id: subject, username: "ann", email: "a@b.c", given: "Ann", family: "Lee"))
  }

  private static let seconds = now.seconds

  private static var defects: [Defect<IDToken.Rejection>] {
    let other = "https://auth.example/e-2/as"
    return [
      // The text.
      Defect("two segments", .notCompact) {
        $0.ending = { String($0.prefix(upTo: $0.lastIndex(of: ".") ?? $0.endIndex)) }
      },
      Defect("four segments", .notCompact) { $0.ending = { $0 + ".e30" } },
      Defect("padding", .notCompact) { $0.ending = { $0 + "=" } },
      Defect("white space", .notCompact) { $0.ending = { $0 + "\n" } },
      Defect("empty", .notCompact) { $0.ending = { _ in "" } },
      Defect("another alphabet", .notCompact) { $0.ending = { "+" + $0 } },
      Defect("too long", .notCompact) { $0.claims["x"] = .string(String(repeating: "x", count: 64 * 1024)) },
      Defect("no signature", .signature) {
        $0.ending = { String($0.prefix(through: $0.lastIndex(of: ".") ?? $0.startIndex)) }
      },
      Defect("a changed signature", .signature) {
        $0.ending = { String($0.dropLast(2)) + ($0.hasSuffix("AA") ? "BA" : "AA") }
      },
      // The header.
      Defect("a header that is no JSON", .notCompact) { $0.rawHeader = "alg" },
      Defect("alg twice", .notCompact) { $0.rawHeader = #"{"alg":"RS256","alg":"none","kid":"rsa"}"# },
      .header("alg", nil, .notCompact), .header("alg", "none", .algorithm),
      .header("alg", "None", .algorithm),
      .header("alg", "HS256", .algorithm), .header("alg", "RS512", .algorithm),
      .header("alg", "PS256", .algorithm),
      .header("alg", "rs256", .algorithm), .header("alg", "ES256", .algorithm),
      .header("alg", "RS256\0", .algorithm),
      .header("typ", "at+jwt", .type), .header("typ", "", .type), .header("typ", "push+jwt", .type),
      .header("typ", "logout+jwt", .type), .header("typ", 1, .notCompact),
      .header("crit", ["exp"], .notCompact), .header("crit", [], .notCompact),
      .header("b64", false, .notCompact),
      .header("zip", "DEF", .notCompact), .header("kid", "nobody", .unknownKey),
      .header("kid", "ec", .signature),
      .header("kid", "enc", .signature), .header("kid", "RSA", .unknownKey), .header("kid", 1, .notCompact),
      // The key and the signature.
      Defect("another key", .signature) { token in
        if let key = try? otherRSA.get() { token.key = key }
      },
      Defect("another hash", .signature) { $0.scheme = .pkcs1(.sha512) },
      Defect("another padding", .signature) { $0.scheme = .pss(.sha256) },
      Defect("a key sent along", .signature) { token in
        guard let key = try? otherRSA.get() else { return }
        token.key = key
        token.header["jwk"] = JWK(key.publicKey).json
      },
      // The claims.
      Defect("claims that are no JSON", .claims) { $0.rawClaims = "claims" },
      Defect("claims that are no object", .claims) { $0.rawClaims = "[]" },
      Defect("a claim twice", .claims) { $0.rawClaims = #"{"iss":"a","iss":"b"}"# },
      .claim("iss", nil, .issuer), .claim("iss", .string(other), .issuer),
      .claim("iss", "https://auth.example/e-1/as/", .issuer),
      .claim("iss", "HTTPS://auth.example/e-1/as", .issuer),
      .claim("iss", ["https://auth.example/e-1/as"], .issuer),
      .claim("aud", nil, .audience), .claim("aud", "other", .audience), .claim("aud", [], .audience),
      .claim("aud", ["other"], .audience), .claim("aud", ["desk", 1], .audience),
      .claim("aud", "Desk", .audience),
      .claim("aud", ["desk", "other"], .party), .claim("azp", "other", .party), .claim("azp", .null, .party),
      .claim("exp", nil, .claims), .claim("exp", .int(seconds - 60), .expired),
      .claim("exp", .string("\(seconds)"), .claims),
      .claim("exp", .number(JSONNumber(1.8e9 - 60.5)), .expired), .claim("exp", .int(.min), .expired),
      .claim("exp", .number(JSONNumber(1e300)), .claims),
      .claim("iat", .number(JSONNumber(1.8e9 + 61.5)), .notYetValid),
      .claim("iat", nil, .claims), .claim("iat", .int(seconds + 61), .notYetValid),
      .claim("iat", .int(.max), .notYetValid), .claim("nbf", .int(seconds + 61), .notYetValid),
      .claim("nbf", "soon", .claims), .claim("nonce", nil, .nonce), .claim("nonce", "n-2", .nonce),
      .claim("nonce", "", .nonce), .claim("nonce", 1, .nonce), .claim("nonce", "n-1\0", .nonce),
      .claim("sub", nil, .subject), .claim("sub", "", .subject), .claim("sub", 7, .subject),
      .claim("sub", .string(String(repeating: "u", count: 256)), .subject),
    ]
  }

  @Test("a token with one defect is rejected for that defect")
  func refused() throws {
    #expect(Self.defects.count >= 60)
    for defect in Self.defects {
      var token = try Self.good()
      defect.apply(&token)
      let text = try token.text()
      #expect(throws: defect.rejection, "\(defect.name)") { try Self.verify(text) }
    }
  }

  @Test("an HMAC keyed with the issuer's public key is rejected")
  func confusion() throws {
    var token = try Self.good()
    token.header["alg"] = "HS256"
    let text = try token.text()
    let input = text.prefix(upTo: text.lastIndex(of: ".") ?? text.endIndex)
    let secret = Secret(copying: JWK(try Self.rsa.get().publicKey).json.serialized)
    let code = try HMACContext(.sha256, key: secret).code(for: Array(input.utf8))
    let forged = input + "." + Base64URL.encode(code)
    #expect(throws: IDToken.Rejection.algorithm) { try Self.verify(forged) }
    #expect(throws: IDToken.Rejection.signature) { try Self.verify(forged, algorithms: [.rs256, .hs256]) }
  }

  @Test("without an expected nonce any nonce is accepted, and an invalid environment id is ignored")
  func optional() throws {
    var token = try Self.good()
    token.claims["nonce"] = nil
    token.claims["env"] = "../e"
    #expect(try Self.verify(try token.text(), nonce: nil).environment == "")
  }

  @Test("two signatures over the same header and claims give the same digest")
  func digest() throws {
    var token = try Self.good()
    token.header = ["alg": "ES256", "kid": "ec"]
    (token.key, token.scheme) = (try Self.ec.get(), .ecdsa(.sha256))
    let (one, other) = (try token.text(), try token.text())
    #expect(one != other)
    let digests = try [one, other].map { try Self.verify($0, algorithms: [.es256]).digest }
    #expect(digests[0] == digests[1])
    token.claims["jti"] = "another"
    #expect(try Self.verify(try token.text(), algorithms: [.es256]).digest != digests[0])
  }
}
