import ControlAPI
import JOSE
import JSON
import JSONRPC
import Testing
import Time

@testable import OpenIDConnect

/// The errors for rejected tokens that the daemon requested itself.
@Suite("rejected tokens")
struct RejectedTests {
  private static let now = Timestamp(seconds: 1_800_000_000)
  private static let claims: JSONObject = [
    "iss": "https://auth.example:443/as", "aud": ["shop", "desk"], "iat": 1_800_000_000,
  ]

  private static func error(_ reason: IDToken.Rejection, _ claims: JSONObject = claims) -> RPCError {
    let expected = IDToken.Expectation(
      issuer: "https://auth.example/as",
      clientID: "kiosk",
      algorithms: [.rs256],
      nonce: nil
    )
    return .rejected(reason, claims, expected, now: now)
  }

  @Test(
    "the times of a token show the clock's offset and its direction",
    arguments: [
      (3600, IDToken.Rejection.notYetValid, "the clock of this machine is 3600 s behind the issuer's clock"),
      (61, .notYetValid, "the clock of this machine is 61 s behind the issuer's clock"),
      (-7200, .expired, "the clock of this machine is 7200 s ahead of the issuer's clock"),
    ]
  )
  func clock(offset: Int, reason: IDToken.Rejection, message: String) {
    let error = Self.error(reason, ["iat": .int(Self.now.seconds + offset)])
    #expect(error.code == 11009 && error.cause == "clock-skew" && error.details["offset"] == .int(offset))
    #expect(error.message == "the token was rejected: \(message)")
    #expect(error.hint?.contains("timedatectl") == true)
  }

  @Test("times that no clock explains have no cause", arguments: [0, 59, -59])
  func noClock(offset: Int) {
    #expect(Self.error(.expired, ["iat": .int(Self.now.seconds + offset)]) == .tokenRejected)
    #expect(Self.error(.expired, [:]) == .tokenRejected)
    #expect(Self.error(.notYetValid, ["iat": .int(.min)]).details["offset"] == .int(-Int.max))
  }

  @Test("both spellings of an issuer, with their ports, and both audiences are in the message")
  func names() {
    let issuer = Self.error(.issuer)
    #expect(issuer.cause == "issuer-mismatch")
    #expect(
      issuer.message == "the token was rejected: it is from https://auth.example:443/as, "
        + "but the configured issuer is https://auth.example/as"
    )
    let audience = Self.error(.audience)
    #expect(audience.cause == "audience")
    #expect(audience.message == "the token was rejected: it is for shop, but client_id is kiosk")
    #expect(Self.error(.issuer, [:]) == .tokenRejected && Self.error(.audience, ["aud": 1]) == .tokenRejected)
  }

  @Test("the key has a cause, and other reasons have none")
  func others() {
    #expect(Self.error(.unknownKey).cause == "unknown-key" && Self.error(.signature).cause == "signature")
    for reason in [IDToken.Rejection.nonce, .subject, .accessToken, .party, .claims, .notCompact] {
      #expect(Self.error(reason) == .tokenRejected)
    }
  }
}
