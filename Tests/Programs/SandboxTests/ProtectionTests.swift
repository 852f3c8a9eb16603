import JOSE
import JSON
import OpenSSL
import TestHTTP
import Testing

@Suite("device service: protection", .timeLimit(.minutes(30)))
struct ProtectionTests {
  @Test("trust returns a device id, and the same id for the same key")
  func trust() async throws {
    try await Bench.run { bench in
      var device = try TestDevice(bench)
      let first = try await device.call("POST", "/trust", .object(device.trustBody))
      #expect(first.status == 200)
      #expect(first.body["issuers"] == [.string(bench.issuer)])
      #expect(first.body["platformKeys"]?["keys"]?.array?.count == 1)
      #expect(first.body["serverTime"]?.string?.hasSuffix("Z") == true)
      let second = try await device.call("POST", "/trust", .object(device.trustBody))
      #expect(second.body["deviceId"] == first.body["deviceId"])
      try await device.trust()
      #expect(device.id == first.body["deviceId"]?.string)
    }
  }

  @Test("trust is rejected for another app or geography, or a key without a proof")
  func refusedTrust() async throws {
    try await Bench.run { bench in
      let device = try TestDevice(bench)
      var other = device.trustBody
      other["device"] = ["appId": "other"]
      let app = try await device.call("POST", "/trust", .object(other))
      #expect(app.status == 400)
      #expect(app.detail == "BUNDLE_ID")
      other = device.trustBody
      other["geo"] = "Atlantis"
      let geo = try await device.call("POST", "/trust", .object(other))
      #expect(geo.status == 400)
      other = device.trustBody
      other["deviceJwk"] = try TestDevice(bench).trustBody["deviceJwk"]
      let key = try await device.call("POST", "/trust", .object(other))
      #expect(key.status == 400)
    }
  }

  @Test("a proof is accepted once")
  func replay() async throws {
    try await Bench.run { bench in
      let device = try await bench.trustedDevice()
      let bends = TestDevice.Bends()
      let first = try await device.call("GET", "/info", bends: bends)
      #expect(first.status == 200)
      let second = try await device.call("GET", "/info", bends: bends)
      #expect(second.status == 401)
      #expect(second.code == "INVALID_PROOF")
    }
  }

  @Test(
    "a proof for another request is rejected",
    arguments: ["bh", "htm", "htu", "sub", "ak"]
  )
  func otherRequest(_ claim: String) async throws {
    try await Bench.run { bench in
      let device = try await bench.trustedDevice()
      var bends = TestDevice.Bends()
      bends.claims[claim] = "other"
      let answer = try await device.call("GET", "/info", bends: bends)
      #expect(answer.status == 401)
      #expect(answer.code == "INVALID_PROOF")
    }
  }

  @Test("a replaced body is rejected")
  func otherBody() async throws {
    try await Bench.run { bench in
      let device = try await bench.trustedDevice()
      let plaintext: JSON = ["answerKey": JWK(device.key.publicKey).json, "body": ["text": "x"]]
      let token = try CompactJWE.encrypt(
        plaintext.serialized,
        to: try await device.platformKey(),
        type: "device-request+jwe",
        keyID: nil
      )
      var bends = TestDevice.Bends()
      bends.sentBody = Array(token.utf8)
      let exchanged = try await device.call("POST", "/logs", ["text": "x"], bends: bends)
      #expect(exchanged.code == "INVALID_PROOF")
      bends.sentBody = Array("{}".utf8)
      let plain = try await device.call("POST", "/logs", ["text": "x"], bends: bends)
      #expect(plain.status == 400)
    }
  }

  @Test("a proof by another key is rejected, and an unknown key gets a signed error")
  func otherKey() async throws {
    try await Bench.run { bench in
      let device = try await bench.trustedDevice()
      var stranger = try TestDevice(bench)
      stranger.id = device.id
      let unknown = try await stranger.call("GET", "/info")
      #expect(unknown.status == 401)
      #expect(unknown.code == "DEVICE_UNKNOWN")
      var newcomer = try TestDevice(bench)
      let early = try await newcomer.call("GET", "/info")
      #expect(early.code == "DEVICE_UNKNOWN")
      newcomer.id = "x"
      let forged = try await TestHTTPClient.send(
        "GET",
        "/device/v1/info",
        port: bench.port,
        headers: [("Device-Proof", "e30.e30.e30"), ("Device-Answer-Key", "e30")]
      )
      #expect(forged.status == 401)
    }
  }

  @Test("a wrong clock gets the platform's time", arguments: [-1, 1])
  func clockSkew(_ sign: Int) async throws {
    try await Bench.run { bench in
      let device = try await bench.trustedDevice()
      var bends = TestDevice.Bends()
      // Far enough from the limit of one minute that the test's duration does not matter.
      bends.secondsOff = 150 * sign
      let answer = try await device.call("GET", "/info", bends: bends)
      #expect(answer.status == 401)
      #expect(answer.code == "CLOCK_SKEW")
      #expect(answer.detail == "10015")
      #expect(answer.body["serverTime"]?.string != nil)
      bends = TestDevice.Bends()
      bends.secondsOff = 10 * sign
      let near = try await device.call("GET", "/info", bends: bends)
      #expect(near.status == 200)
    }
  }

  @Test("moving the sandbox's clock does not affect the proof check")
  func movedClock() async throws {
    try await Bench.run { bench in
      let device = try await bench.trustedDevice()
      try await bench.advance(seconds: 86_400)
      let answer = try await device.call("GET", "/info")
      #expect(answer.status == 200)
    }
  }

  @Test(
    "a malformed proof or body is rejected",
    arguments: [
      "{}", "[]", "null", #"{"alg":"none"}"#, #"{"typ":"device-proof+jwt","alg":"ES256"}"#,
      #"{"typ":"device-proof+jwt","alg":"ES256","kid":7}"#,
      #"{"typ":"device-proof+jwt","alg":"ES256","jwk":{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}}"#,
    ]
  )
  func nonsense(_ header: String) async throws {
    try await Bench.run { bench in
      let claims = #"{"jti":"12345678","iat":9223372036854775807,"sub":""}"#
      let proof = [header, claims, "x"].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
      for body in ["", "x", "e30.e30.e30.e30.e30", "....", "\u{0}\u{FFFD}"] {
        let answer = try await TestHTTPClient.send(
          "POST",
          "/device/v1/trust",
          port: bench.port,
          headers: [("Device-Proof", proof), ("Device-Answer-Key", Base64URL.encode(Array(header.utf8)))],
          body: Array(body.utf8)
        )
        #expect([400, 401].contains(answer.status))
      }
    }
  }

  @Test("an unknown path is reported in the sealed response")
  func unknownPath() async throws {
    try await Bench.run { bench in
      let device = try await bench.trustedDevice()
      let path = try await device.call("GET", "/nothing")
      #expect(path.status == 404)
      #expect(path.code == "NOT_FOUND")
      let method = try await device.call("DELETE", "/info")
      #expect(method.status == 405)
    }
  }

  @Test("new keys take effect with their first proof, and a repeated rotation is harmless")
  func rotation() async throws {
    try await Bench.run { bench in
      var device = try await bench.pairedDevice("ann")
      let next = try TestDevice(bench)
      let id = try #require(device.id)
      let bent = try device.rotation(to: next, jkt: "x")
      let refused = try await device.call("POST", "/keys", bent)
      #expect(refused.status == 400)
      let body = try device.rotation(to: next)
      for _ in 0..<2 {
        let rotated = try await device.call("POST", "/keys", body)
        #expect(rotated.status == 200)
      }
      let old = device
      device = next
      device.id = id
      let info = try await device.call("GET", "/info")
      #expect(info.body["users"]?.array?.count == 1)
      let refusedOld = try await old.call("GET", "/info")
      #expect(refusedOld.code == "DEVICE_UNKNOWN")
      let repeated = try await device.call("POST", "/keys", body)
      #expect(repeated.status == 200)
    }
  }
}
