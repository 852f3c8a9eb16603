import JOSE
import JSON
import OATHExports
import OpenIDConnect
import OpenSSL
import Time

@testable import PingAM
@testable import PingOne

/// Random input never has a valid signature.
///
/// So the fuzzer signs the contents of a token and then parses it.
private struct Signer: Sendable {
  let key: PrivateKey
  let secret: Secret
  let keys: JWKSet

  init() throws {
    key = try PrivateKey.generateP256()
    secret = Secret(copying: [UInt8](repeating: 7, count: 32))
    keys = try JWKSet([JWK(key.publicKey)])
  }

  static let shared = Result { try Signer() }
}

extension FuzzTarget {
  private static let now = Timestamp(seconds: 1_800_000_000)

  static let tokens = [
    FuzzTarget(text: "jws") { text in
      let token = try CompactJWS(parsing: text)
      _ = try token.verified(with: try Signer.shared.get().keys, allowing: [.es256])
      require(false, "nobody signs by chance")
    },
    FuzzTarget(text: "jwe") { text in
      _ = try CompactJWE.decrypt(text, with: try Signer.shared.get().key, type: nil)
    },
    FuzzTarget(json: "jwks") { json in
      let keys = try JWKSet(json)
      require(try JWKSet(keys.json).keys.count == keys.keys.count, "a set that is written reads as itself")
    },
    FuzzTarget("id-token") { claims in
      let secret = try Signer.shared.get().secret
      let expected = IDToken.Expectation(
        issuer: "https://auth.example/as",
        clientID: "client",
        algorithms: [.hs256],
        nonce: nil
      )
      let token = try CompactJWS.sign(payload: claims, type: "JWT", with: secret)
      _ = try IDToken(verifying: token, keys: JWKSet([JWK(secret)]), expected, now: now)
    },
    FuzzTarget("push") { claims in
      let signer = try Signer.shared.get()
      let text = try CompactJWS.sign(
        payload: claims,
        type: Push.type,
        keyID: nil,
        with: signer.key,
        algorithm: .es256
      )
      guard let token = PushEnvelope.push(in: ["data": ["message": .string(text)]]) else {
        return require(false, "a push is found")
      }
      let push = try Push(
        verifying: token,
        keys: signer.keys,
        issuer: "https://platform.example",
        audience: "device",
        now: now
      )
      require((1...600).contains(push.timeout), "a push is over some day")
    },
    FuzzTarget("am-push") { claims in
      let secret = try Signer.shared.get().secret
      let text = try CompactJWS.sign(payload: claims, type: "JWT", with: secret)
      let push = try AMPush(verifying: try CompactJWS(parsing: text), by: secret, mechanism: "mechanism")
      require(push.secondsLeft(at: now) <= 3600, "a push is over some day")
      require(
        AMPushDetails(stored: AMPushDetails(push).stored)?.challenge == push.challenge,
        "what is kept of a push reads as itself"
      )
    },
    FuzzTarget(json: "push-envelope") { json in
      _ = PushEnvelope.push(in: json)
      _ = AMPushEnvelope.found(in: json)
    },
  ]
}
