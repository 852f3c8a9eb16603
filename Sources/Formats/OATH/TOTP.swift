public import OpenSSL
public import Time

/// Time-based one-time passwords, RFC 6238, of one secret.
public final class TOTP {
  private let hotp: HOTP
  /// The length of a window in seconds.
  public let period: Int

  /// A generator; digits are 6 to 8, the period at least 1.
  public init(secret: Secret, algorithm: HashAlgorithm, digits: Int, period: Int) {
    hotp = HOTP(secret: secret, algorithm: algorithm, digits: digits)
    self.period = max(period, 1)
  }

  /// The number of the window that an instant lies in, RFC 6238 section 4.2.
  public func window(at instant: Timestamp) -> Int { max(0, instant.seconds) / period }

  /// The passcode of a window.
  public func passcode(window: Int) throws(OpenSSLError) -> String {
    try hotp.passcode(counter: UInt64(window))
  }
}
