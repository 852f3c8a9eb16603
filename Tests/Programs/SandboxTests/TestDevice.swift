import EventLoop
import JOSE
import JSON
import OpenSSL
import TestHTTP
import Testing
import Time

/// A device of the device service, like mfad.
@EventLoop
struct TestDevice {
  var bench: Bench
  let key: PrivateKey
  let answerKey: PrivateKey
  var id: String?
  var appID = "mfad"
  /// Pairings with their passcode secrets, the newest last.
  var pairings: [(id: String, secret: [UInt8])] = []

  /// Parts of one request that a test can change.
  struct Bends {
    var jti = randomID()
    var secondsOff = 0
    var claims: JSONObject = [:]
    var signingKey: PrivateKey?
    var sentBody: [UInt8]?
    var answerKeyHeader: String?
  }

  init(_ bench: Bench) throws {
    self.bench = bench
    key = try .generateP256()
    answerKey = try .generateP256()
  }

  nonisolated static func randomID() -> String {
    Base64URL.encode((0..<12).map { _ in UInt8.random(in: 0...255) })
  }

  /// Sends a request and decrypts its response.
  ///
  /// An unencrypted response has no claims.
  func call(
    _ method: String,
    _ path: String,
    _ body: JSON? = nil,
    bends: Bends = Bends()
  ) async throws -> Answer {
    let (answer, ephemeral) = try await exchange(method, path, body, bends)
    guard answer.header("content-type") == "application/jose" else {
      return Answer(status: answer.status, body: (try? JSON(parsing: answer.body)) ?? .null)
    }
    #expect(answer.status == 200)
    let token = try CompactJWE.decrypt(answer.text, with: ephemeral, type: "device-answer+jwe")
    let signed = try CompactJWS(parsing: String(decoding: token, as: UTF8.self), maximumLength: 1024 * 1024)
    #expect(signed.header.type == "device-answer+jwt")
    let claims = try signed.verified(with: try await platformKey(), allowing: [.es256]).claims()
    #expect(claims["rid"]?.string == bends.jti)
    #expect(claims["aud"]?.string == JWK((bends.signingKey ?? key).publicKey).thumbprint)
    return Answer(status: try #require(claims["status"]?.int), body: claims["body"] ?? .null)
  }

  /// Sends a request and returns the raw response with the key that decrypts it.
  private func exchange(
    _ method: String,
    _ path: String,
    _ body: JSON?,
    _ bends: Bends
  ) async throws -> (TestHTTPAnswer, PrivateKey) {
    let ephemeral = try PrivateKey.generateP256()
    let answerJWK = JWK(ephemeral.publicKey).json
    var sent: [UInt8] = []
    var headers: [(String, String)] = []
    var claims: JSONObject = [
      "htm": .string(method), "htu": .string("\(bench.url)/device/v1\(path)"),
      "iat": .int(TimeSource.system.now().seconds + bends.secondsOff), "jti": .string(bends.jti),
    ]
    if method == "GET" || method == "DELETE" {
      let header = bends.answerKeyHeader ?? Base64URL.encode(answerJWK.serialized)
      headers.append(("Device-Answer-Key", header))
      claims["ak"] = .string(Base64URL.encode(try digest(Array(header.utf8), .sha256)))
    } else {
      var plaintext: JSONObject = ["answerKey": answerJWK]
      plaintext["body"] = body
      let token = try CompactJWE.encrypt(
        JSON.object(plaintext).serialized,
        to: try await platformKey(),
        type: "device-request+jwe",
        keyID: nil
      )
      sent = Array(token.utf8)
    }
    claims["bh"] = .string(Base64URL.encode(try digest(sent, .sha256)))
    claims["sub"] = id.map { .string($0) }
    for member in bends.claims.members { claims[member.name] = member.value }
    headers.append(("Device-Proof", try proof(claims, bends.signingKey ?? key)))
    let answer = try await TestHTTPClient.send(
      method,
      "/device/v1\(path)",
      port: bench.port,
      headers: headers,
      body: bends.sentBody ?? sent
    )
    return (answer, ephemeral)
  }

  private func proof(_ claims: JSONObject, _ key: PrivateKey) throws -> String {
    let jwk = JWK(key.publicKey)
    return try CompactJWS.sign(
      payload: JSON.object(claims).serialized,
      type: "device-proof+jwt",
      keyID: id == nil ? nil : jwk.thumbprint,
      extraHeader: id == nil ? ["jwk": jwk.json] : [:],
      with: key,
      algorithm: .es256
    )
  }

  func platformKey() async throws -> JWK {
    let answer = try await TestHTTPClient.send("GET", "/device/v1/platform-keys", port: bench.port)
    let token = try CompactJWS(parsing: answer.text)
    #expect(token.header.type == "platform-keys+jwt")
    let about = bench.about["platformKey"]?.string
    #expect(token.header.keyID == about)
    let payload = try #require(Base64URL.decode(answer.text.split(separator: ".")[1]))
    let key = try #require(try JWKSet(JSON(parsing: payload)).keys.first { $0.thumbprint == about })
    _ = try token.verified(with: key, allowing: [.es256])
    return key
  }

  var trustBody: JSONObject {
    [
      "geo": "NorthAmerica", "deviceJwk": JWK(key.publicKey).json, "answerJwk": JWK(answerKey.publicKey).json,
      "device": [
        "name": "desk", "os": "Linux", "osVersion": "6.1", "appId": .string(appID), "version": "1.0",
      ],
    ]
  }

  mutating func trust(geo: String = "NorthAmerica") async throws {
    var body = trustBody
    body["geo"] = .string(geo)
    let answer = try await call("POST", "/trust", .object(body))
    #expect(answer.status == 200)
    id = try #require(answer.body["deviceId"]?.string)
  }

  /// Starts a pairing and checks its first passcode.
  mutating func pair(_ code: String) async throws {
    let begun = try await call("POST", "/pairings", ["pairingKey": .string(code)])
    #expect(begun.status == 201)
    try remember(begun)
    let otp = try passcode(ofWindow: currentWindow - 1)
    let pairing = try #require(pairings.last?.id)
    let checked = try await call("POST", "/pairings/\(pairing)/otp", ["otp": .string(otp)])
    #expect(checked.status == 200)
    #expect(checked.body["status"]?.string == "ACTIVE")
  }

  mutating func remember(_ begun: Answer) throws {
    let secret = try #require(begun.body["oath"]?["secret"]?.string)
    pairings.append(
      (try #require(begun.body["pairingId"]?.string), try #require(Authenticator(base32: secret)).secret)
    )
  }

  nonisolated var currentWindow: Int { currentWindow(of: 30) }

  nonisolated func currentWindow(of period: Int) -> Int { TimeSource.system.now().seconds / period }

  private func authenticator() throws -> Authenticator {
    Authenticator(secret: try #require(pairings.last?.secret))
  }

  /// The passcode of the newest pairing.
  func passcode(ofWindow window: Int) throws -> String { try authenticator().passcode(ofWindow: window) }

  func wrongPasscode() throws -> String { try authenticator().wrongPasscode() }

  nonisolated func sign(_ claims: JSONObject, type: String, with other: PrivateKey? = nil) throws -> String {
    try CompactJWS.sign(
      payload: JSON.object(claims).serialized,
      type: type,
      keyID: nil,
      with: other ?? answerKey,
      algorithm: .es256
    )
  }

  /// The announcement of another device's keys as this device's next keys.
  func rotation(to next: TestDevice, jkt: String? = nil) throws -> JSON {
    func proof(_ key: PrivateKey, _ thumbprint: String) throws -> JSON {
      let claims: JSONObject = ["sub": .string(id ?? ""), "jkt": .string(thumbprint)]
      return .string(try sign(claims, type: "key-rotation+jwt", with: key))
    }
    var body = next.trustBody
    body["proofs"] = [
      "device": try proof(next.key, jkt ?? JWK(next.key.publicKey).thumbprint),
      "answer": try proof(next.answerKey, JWK(next.answerKey.publicKey).thumbprint),
    ]
    return .object(body)
  }

  /// A mobile payload for a sign-on.
  nonisolated func payload(_ more: JSONObject = [:]) throws -> String {
    let now = TimeSource.system.now().seconds
    var claims: JSONObject = [
      "iss": .string(appID), "aud": .string(bench.issuer), "sub": .string(id ?? ""), "iat": .int(now),
      "exp": .int(now + 120), "jti": .string(Self.randomID()), "client_id": .string(bench.clientID),
      "os": "Linux", "pushEnabled": true,
    ]
    for member in more.members { claims[member.name] = member.value }
    return try sign(claims, type: "mobile-payload+jwt")
  }

  /// Returns the claims of the pushes in a poll.
  func poll(after cursor: String? = nil, wait: Int = 0) async throws -> (pushes: [JSONObject], answer: Answer)
  {
    let query = cursor.map { "after=\($0)&wait=\(wait)" } ?? "wait=\(wait)"
    let answer = try await call("GET", "/notifications?\(query)")
    var pushes: [JSONObject] = []
    for text in answer.body["notifications"]?.array ?? [] {
      let token = try CompactJWS(parsing: try #require(text.string))
      #expect(token.header.type == "push+jwt")
      let claims = try token.verified(with: try await platformKey(), allowing: [.es256]).claims()
      #expect(claims["aud"]?.string == id)
      pushes.append(claims)
    }
    return (pushes, answer)
  }

  func answer(
    _ push: JSONObject,
    _ decision: String,
    _ more: JSONObject = [:],
    posture: JSON? = nil,
    with other: PrivateKey? = nil
  ) async throws -> Answer {
    let id = try #require(push["jti"]?.string)
    var claims: JSONObject = ["decision": .string(decision), "notification": .string(id)]
    for member in more.members { claims[member.name] = member.value }
    let token = try sign(claims, type: "decision+jwt", with: other)
    var body: JSONObject = ["decision": .string(token)]
    body["posture"] = posture
    return try await call("POST", "/notifications/\(id)/answer", .object(body))
  }
}
