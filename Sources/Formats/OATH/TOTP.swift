public import OpenSSL
public import Time

/// Time-based one-time passwords (RFC 6238) of one secret.
public final class TOTP {
  private let hotp: HOTP
  /// Length of a time step in seconds.
  public let period: Int

  /// Creates a generator; `digits` is limited to 6 to 8, the period is at least 1.
  public init(secret: Secret, algorithm: HashAlgorithm, digits: Int, period: Int) {
    hotp = HOTP(secret: secret, algorithm: algorithm, digits: digits)
    self.period = max(period, 1)
  }

  /// Returns the number of the time step of an instant, RFC 6238 section 4.2.
  public func window(at instant: Timestamp) -> Int { max(0, instant.seconds) / period }

  /// Returns the passcode of a time step.
  public func passcode(window: Int) throws(OpenSSLError) -> String {
    try hotp.passcode(counter: UInt64(window))
  }
}
