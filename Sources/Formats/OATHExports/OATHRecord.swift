internal import Text

/// What a key URI or an export says of one OATH credential, as it says it: nothing of it is checked yet.
public struct OATHRecord: Sendable, Equatable {
  public enum Kind: String, Sendable {
    case totp, hotp
  }

  public var type: Kind
  /// In Base32.
  public var secret: String
  /// In upper case, like SHA1.
  public var algorithm: String?
  public var digits: Int?
  /// In seconds, of `totp`.
  public var period: Int?
  /// Of `hotp`.
  public var counter: Int?
  public var issuer: String
  /// The name of the account at the issuer.
  public var label: String
  /// What its server knows the device by, where it says so.
  public var resource: String?

  public init(
    type: Kind,
    secret: String,
    algorithm: String? = nil,
    digits: Int? = nil,
    period: Int? = nil,
    counter: Int? = nil,
    issuer: String?,
    label: String?,
    resource: String? = nil
  ) throws(OATHError) {
    (self.type, self.secret, self.algorithm) = (type, secret, algorithm?.uppercased())
    (self.digits, self.period, self.counter, self.resource) = (digits, period, counter, resource)
    (self.issuer, self.label) = try Self.names(issuer: issuer, label: label ?? "")
  }

  /// A label without an issuer beside it has both with a colon between them, or is both; an account without a name
  /// is called as by PingAM's clients.
  static func names(issuer: String?, label: String) throws(OATHError) -> (issuer: String, account: String) {
    let issuer = nonempty(issuer)
    let parts = label.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let (first, last) = (nonempty(parts.first), nonempty(parts.last))
    guard let named = issuer ?? first ?? last else { throw .missing("issuer") }
    return (named, (issuer == nil ? last : nonempty(label)) ?? "Untitled")
  }

  private static func nonempty(_ name: String?) -> String? {
    let trimmed = (name ?? "").trimmed { $0 == " " }
    return trimmed.isEmpty ? nil : String(trimmed)
  }
}

extension OATHRecord: CustomStringConvertible, CustomReflectable {
  /// Nothing of the secret.
  public var description: String { "OATHRecord" }

  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
