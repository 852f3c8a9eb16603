internal import ControlAPI
internal import JSON
internal import JSONRPC
internal import Text
internal import Time

extension RPCError {
  /// Clock difference in seconds from which a token's times can be the reason of its rejection.
  private static let clockTolerance = 60

  /// Returns the error for a rejected token that the daemon requested itself.
  ///
  /// It has a cause if the user or the administrator can act on it: the clock, with its offset; the issuer and
  /// the audience, with both values; the key. `claims` are signed, or empty if the signature is not valid.
  static func rejected(
    _ reason: IDToken.Rejection,
    _ claims: JSONObject,
    _ expected: IDToken.Expectation,
    now: Timestamp
  ) -> RPCError {
    switch reason {
    case .expired, .notYetValid:
      // The issuer issued the token just now.
      guard let issued = claims["iat"]?.numericDate else { return tokenRejected }
      let offset = issued.subtractingClamped(now.seconds)
      guard abs(offset) >= clockTolerance else { return tokenRejected }
      let clocks = clockSkew(behind: offset, "the issuer's clock")
      return tokenRejected(.clockSkew, clocks.message).with(["offset": .int(offset)])
    case .issuer:
      guard let issuer = claims["iss"]?.string else { return tokenRejected }
      let names = "it is from \(DisplayText.clean(issuer)), but the configured issuer is \(expected.issuer)"
      return tokenRejected(.issuerMismatch, names)
    case .audience:
      guard let audience = claims["aud"].flatMap({ $0.string ?? $0.array?.first?.string }) else {
        return tokenRejected
      }
      let names = "it is for \(DisplayText.clean(audience)), but client_id is \(expected.clientID)"
      return tokenRejected(.audience, names)
    case .unknownKey: return tokenRejected.withCause(.unknownKey)
    case .signature: return tokenRejected.withCause(.signature)
    case .notCompact, .algorithm, .type, .claims, .party, .nonce, .accessToken, .subject: return tokenRejected
    }
  }

  private static func tokenRejected(_ cause: ErrorCause, _ explanation: String) -> RPCError {
    tokenRejected.withCause(cause).withMessage("\(tokenRejected.message): \(explanation)")
  }
}

extension Int {
  /// Returns the difference, or a value near the limits of `Int` if it overflows.
  fileprivate func subtractingClamped(_ other: Int) -> Int {
    let (difference, hasOverflowed) = subtractingReportingOverflow(other)
    // Int.min has no magnitude.
    return hasOverflowed ? (self < 0 ? -Int.max : Int.max) : Swift.max(difference, -Int.max)
  }
}
