public import OATHExports
public import OpenSSL

/// An OATH credential with valid parameters.
public struct OATHCredential: Sendable {
  public enum Kind: Sendable, Equatable {
    /// The period in seconds.
    case totp(period: Int)
    case hotp(counter: Int)
  }

  public let kind: Kind
  public let secret: Secret
  public let algorithm: HashAlgorithm
  public let digits: Int
  /// The issuer as received; neither issuer nor label is sanitised.
  public let issuer: String
  public let label: String
  /// The server's id of the device.
  public let resource: String?
  /// The server's policies for the machine, as JSON text.
  public let policies: String?

  /// True if the secret is shorter than RFC 4226 section 4, R6, requires; it still has at least 80 bits.
  public var isWeak: Bool { secret.count < 16 }

  private static let secretLengths = 10...1024
  private static let algorithms: [String: HashAlgorithm] = [
    "SHA1": .sha1, "SHA256": .sha256, "SHA512": .sha512,
  ]
  private static let periods = 15...120
  /// The largest integer that JSON numbers represent exactly.
  private static let counters = 0...(1 << 53)

  /// Checks a record and fills in defaults.
  public init(_ record: OATHRecord) throws(OATHError) {
    guard let secret = Secret(lenientBase32: record.secret) else { throw .invalid("secret") }
    guard Self.secretLengths.contains(secret.count) else {
      throw .unsupported("the length of the secret", allowed: "80 to 8192 bits", value: secret.count * 8)
    }
    guard let algorithm = Self.algorithms[record.algorithm ?? "SHA1"] else {
      throw .unsupported("algorithm", allowed: "SHA1, SHA256 or SHA512")
    }
    let digits = record.digits ?? 6
    guard (6...8).contains(digits) else { throw .unsupported("digits", allowed: "6 to 8", value: digits) }
    (self.secret, self.algorithm, self.digits) = (secret, algorithm, digits)
    (issuer, label, resource) = (record.issuer, record.label, record.resource)
    policies = record.policies
    switch record.type {
    case .totp:
      let period = record.period ?? 30
      guard Self.periods.contains(period) else {
        throw .unsupported("period", allowed: "15 to 120", value: period)
      }
      kind = .totp(period: period)
    case .hotp:
      let counter = record.counter ?? 0
      guard Self.counters.contains(counter) else {
        throw .unsupported("counter", allowed: "0 to 2^53", value: counter)
      }
      kind = .hotp(counter: counter)
    }
  }

  /// Reads the credential of an `otpauth:` URI.
  public init(uri: some StringProtocol) throws(OATHError) { try self.init(OATHRecord(uri: uri)) }
}
