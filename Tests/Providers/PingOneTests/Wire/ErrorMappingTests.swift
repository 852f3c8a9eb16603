import ControlAPI
import JOSE
import JSON
import JSONRPC
import OpenSSL
import Testing

@testable import PingOne

@Suite("mapping of platform errors")
struct ErrorMappingTests {
  private static func answer(_ status: Int, _ body: JSON) throws -> DeviceResponse {
    let (platform, key) = (try PrivateKey.generateP256(), try PrivateKey.generateP256())
    let token = try platform.sign(
      ["rid": "r", "aud": "d", "status": .int(status), "iat": 1, "body": body],
      type: "device-answer+jwt"
    )
    let text = try CompactJWE.encrypt(
      Array(token.utf8),
      to: JWK(key.publicKey),
      type: "device-answer+jwe",
      keyID: nil
    )
    return try DeviceResponse(
      opening: Array(text.utf8),
      with: key,
      platformKeys: [JWK(platform.publicKey, keyID: platform.thumbprint)],
      request: "r",
      device: "d"
    )
  }

  private static let errors: [String: RPCError] = [
    "ACCOUNT_LOCKED": .accountLocked,
    "AUTHENTICATION_CODE_INVALID": .authenticationCode, "BUNDLE_ID": .bundleID,
    "DEVICE_IS_NOT_PAIRED": .notPaired, "DEVICE_MISMATCH": .deviceMismatch,
    "FAILED_DEVICE_REQUIREMENTS_EVALUATION": .deviceRequirements, "FAILED_POLICY_REQUIREMENTS": .failedPolicy,
    "INVALID_PAIRING_KEY": .pairingKey, "PAIRING_DISABLED": .failedPolicy,
    "PAIRING_KEY_DATA_CENTER_MISMATCH": .pairingKey, "PUSH_CONFIRMATION_TIMEOUT": .pushTimeout,
    "INVALID_DATA": .serverError.withCause(.http, status: 400),
    "": .serverError.withCause(.http, status: 400),
  ]

  @Test("a code in the body or in its details maps to the interface's error")
  func codes() throws {
    for (code, error) in Self.errors {
      let body: JSON = ["id": "x", "code": .string(code), "message": "m"]
      #expect(ErrorMapping.refusal(try Self.answer(400, body)) == .refused(error), "\(code)")
      let detailed: JSON = [
        "code": "INVALID_DATA", "details": [["code": "UNKNOWN"], ["code": .string(code)]],
      ]
      #expect(ErrorMapping.refusal(try Self.answer(400, detailed)) == .refused(error), "\(code)")
    }
  }

  @Test("a locked account's policy and expiry are reported")
  func lock() throws {
    let body: JSON = [
      "code": "ACCOUNT_LOCKED", "policy": "Push\u{1b}[31m limit", "expiresAt": "2026-11-21T09:30:00Z",
    ]
    let details: JSONObject = ["policy": "Push[31m limit", "expiresAt": "2026-11-21T09:30:00Z"]
    let refusal = ErrorMapping.refusal(try Self.answer(403, body))
    #expect(refusal == .refused(.accountLocked.with(details)))
    let nonsense: JSON = ["code": "ACCOUNT_LOCKED", "policy": 7, "expiresAt": "soon"]
    #expect(ErrorMapping.refusal(try Self.answer(403, nonsense)) == .refused(.accountLocked))
    // A lock with an invalid expiry must not become a lock without one.
    let endless: JSON = ["code": "ACCOUNT_LOCKED", "policy": "PUSH_LIMIT", "expiresAt": "soon"]
    #expect(ErrorMapping.refusal(try Self.answer(403, endless)) == .refused(.accountLocked))
    let other: JSON = ["code": "DEVICE_MISMATCH", "policy": "x"]
    #expect(ErrorMapping.refusal(try Self.answer(403, other)) == .refused(.deviceMismatch))
  }

  @Test("a body without an error code maps to a server error")
  func nonsense() throws {
    let failure = PlatformError.refused(.serverError.withCause(.http, status: 404))
    for body in [[:], [], "x", ["code": 1], ["details": "x"], ["details": [["code": 1], "x"]]] as [JSON] {
      #expect(ErrorMapping.refusal(try Self.answer(404, body)) == failure, "\(body.text)")
    }
  }

  @Test("only a 2xx status is a success")
  func success() throws {
    for status in [200, 201, 204, 299] {
      #expect(try Self.answer(status, ["a": 1]).succeeded() == ["a": 1], "\(status)")
    }
    for status in [100, 199, 300, 302, 400, 403, 409, 599] {
      let answer = try Self.answer(status, ["a": 1])
      let failure = RPCError.serverError.withCause(.http, status: status)
      #expect(throws: PlatformError.refused(failure), "\(status)") { try answer.succeeded() }
    }
  }
}
