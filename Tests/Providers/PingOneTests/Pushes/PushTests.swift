import ControlAPI
import JOSE
import JSON
import OpenSSL
import PlatformWire
import Testing
import Time

@testable import PingOne

@Suite("push verification")
struct PushTests {
  private static let now = Timestamp(seconds: 1_800_000_000)
  private static let key = Result { try PrivateKey.generateP256() }
  private static let other = Result { try PrivateKey.generateP256() }

  private static func good() throws -> Forgery {
    Forgery(
      header: ["alg": "ES256", "kid": "k", "typ": "push+jwt"],
      claims: [
        "iss": "https://platform.example/base", "aud": "d-1", "jti": "p-1", "iat": .int(now.seconds),
        "exp": .int(now.seconds + 120), "type": "authentication", "sub": "u-1", "env": "e-1",
        "title": "Sign\u{202E} on", "body": "now?", "timeout": 90, "category": "c",
        "clientContext": ["a": 1], "numberMatching": ["type": "SELECT_NUMBER", "options": [1, 2, 3]],
      ],
      key: try key.get(),
      scheme: .ecdsa(.sha256)
    )
  }

  private static func verify(_ text: String) throws -> Push {
    let keys = try JWKSet([JWK(try key.get().publicKey, keyID: "k")])
    let token = try CompactJWS(parsing: text)
    return try Push(
      verifying: token,
      keys: keys,
      issuer: "https://platform.example/base",
      audience: "d-1",
      now: now
    )
  }

  private static func push(_ change: (inout Forgery) -> Void) throws -> Push {
    var forgery = try good()
    change(&forgery)
    return try verify(try forgery.text())
  }

  @Test("a valid push yields title, body, context, numbers and timeout")
  func accepted() throws {
    let push = try Self.push { _ in }
    #expect(push.id == "p-1" && push.kind == .authentication && push.user == "u-1")
    #expect(push.content.title == "Sign on" && push.content.body == "now?")
    #expect(push.content.clientContext == ["a": 1])
    #expect(push.content.numberMatching == "SELECT_NUMBER" && push.content.numberOptions == [1, 2, 3])
    #expect(push.timeout == 90)
    #expect(push.expiresAt == Self.now.adding(seconds: 120))
  }

  @Test("the timeout is the minimum of claim, token lifetime and ten minutes")
  func timeout() throws {
    let seconds = Self.now.seconds
    for (asked, lifetime, timeout) in [
      (90, 120, 90), (500, 120, 120), (5000, 5000, 600), (nil, 5000, 600), (nil, 60, 60), (0, 60, 1),
      (-5, 60, 1),
    ] as [(Int?, Int, Int)] {
      let push = try Self.push {
        $0.claims["timeout"] = asked.map(JSON.int)
        $0.claims["exp"] = .int(seconds + lifetime)
      }
      #expect(push.timeout == timeout, "\(String(describing: asked)) \(lifetime)")
    }
  }

  @Test("a push is accepted until one minute after its expiry")
  func lateness() throws {
    let seconds = Self.now.seconds
    #expect(throws: Never.self) {
      try Self.push {
        $0.claims["iat"] = .int(seconds - 100)
        $0.claims["exp"] = .int(seconds - 60)
      }
    }
    #expect(throws: Never.self) { try Self.push { $0.claims["iat"] = .int(seconds + 60) } }
  }

  @Test("an oversized context is dropped, and one at the limit is kept")
  func contexts() throws {
    let longest = String(repeating: "x", count: 8 * 1024 - 2)
    #expect(try Self.push { $0.claims["clientContext"] = .string(longest) }.content.clientContext != nil)
    #expect(
      try Self.push { $0.claims["clientContext"] = .string(longest + "x") }.content.clientContext == nil
    )
    let options = JSON.array((0..<50).map(JSON.int))
    let push = try Self.push { $0.claims["numberMatching"] = ["type": "SELECT_NUMBER", "options": options] }
    #expect(push.content.numberOptions?.count == 10)
  }

  private static let seconds = now.seconds

  private static var defects: [Defect<Push.Rejection>] {
    [
      .header("typ", nil, .type), .header("typ", "JWT", .type), .header("typ", "PUSH+JWT", .type),
      .header("typ", "device-answer+jwt", .type), .header("alg", "none", .signature),
      .header("alg", "ES384", .signature),
      .header("alg", "HS256", .signature), .header("kid", "other", .signature),
      Defect("another key", .signature) { token in
        if let key = try? other.get() { token.key = key }
      },
      Defect("a key sent along", .signature) { token in
        guard let key = try? other.get() else { return }
        token.key = key
        token.header["jwk"] = JWK(key.publicKey).json
      },
      Defect("a changed end", .signature) { $0.ending = { String($0.dropLast(8)) + "AAAAAAAA" } },
      Defect("no signature", .signature) {
        $0.ending = { String($0.prefix(through: $0.lastIndex(of: ".") ?? $0.startIndex)) }
      },
      Defect("no claims", .signature) { $0.rawClaims = "[]" },
      Defect("a claim twice", .signature) { $0.rawClaims = #"{"iss":"a","iss":"b"}"# },
      .claim("iss", nil, .issuer), .claim("iss", "https://evil.example", .issuer),
      .claim("iss", "https://platform.example/base/", .issuer), .claim("aud", nil, .audience),
      .claim("aud", "d-2", .audience), .claim("aud", ["d-1"], .audience), .claim("iat", nil, .claims),
      .claim("exp", nil, .claims), .claim("exp", "soon", .claims), .claim("exp", .int(seconds), .claims),
      .claim("exp", .int(seconds + 86_401), .claims), .claim("iat", -1, .claims),
      .claim("iat", .int(seconds + 61), .notYetValid),
      Defect("long over", .expired) { token in
        token.claims["iat"] = .int(seconds - 200)
        token.claims["exp"] = .int(seconds - 61)
      },
      Defect("the end of the integers", .notYetValid) { token in
        token.claims["iat"] = .int(.max - 100)
        token.claims["exp"] = .int(.max)
      },
      .claim("jti", nil, .claims), .claim("jti", "a/b", .claims), .claim("jti", "", .claims),
      .claim("jti", "..", .claims),
      .claim("sub", nil, .claims), .claim("env", nil, .claims), .claim("type", nil, .claims),
      .claim("type", "approve", .claims), .claim("type", "cancel", .claims),
      .claim("numberMatching", ["type": "GUESS"], .claims),
      .claim("numberMatching", "SELECT_NUMBER", .claims),
      .claim("numberMatching", [:], .claims),
    ]
  }

  @Test("a push with one defect is rejected for that defect")
  func refused() throws {
    #expect(Self.defects.count >= 40)
    for defect in Self.defects {
      #expect(throws: defect.rejection, "\(defect.name)") { try Self.push(defect.apply) }
    }
  }
}

@Suite("push envelopes")
struct PushEnvelopeTests {
  private static func push(type: String = "push+jwt") throws -> String {
    try CompactJWS.sign(payload: [], type: type, keyID: nil, with: try .generateP256(), algorithm: .es256)
  }

  @Test("a push is found bare and in each envelope, also if the envelope is a text")
  func found() throws {
    let push = try Self.push()
    let text = JSON.string(push)
    let payloads: [JSON] = [
      text, ["message": text], ["data": text], ["aps": ["data": text]], ["data": ["message": text]],
      .string((["message": text] as JSON).text), ["data": .string((["message": text] as JSON).text)],
      ["other": 1, "data": ["x": "y"], "aps": ["message": text]],
    ]
    for payload in payloads { #expect(PushEnvelope.push(in: payload) != nil, "\(payload.text.prefix(60))") }
  }

  @Test("other payloads, and pushes nested too deeply, are not found")
  func notFound() throws {
    let text = JSON.string(try Self.push())
    let other = JSON.string(try Self.push(type: "JWT"))
    let payloads: [JSON] = [
      .null, 1, "", "hello", [text], ["x": text], other, ["message": other],
      ["message": ["message": "x.y.z"]],
      ["data": ["data": ["data": ["data": text]]]], .string(#"["a"]"#), .string(#""a.b.c""#),
    ]
    for payload in payloads { #expect(PushEnvelope.push(in: payload) == nil, "\(payload.text.prefix(60))") }
  }
}
