/// The parameters of an OATH credential in a key URI or an export; most are not checked.
public struct OATHRecord: Sendable, Equatable {
  public enum Kind: String, Sendable {
    case totp, hotp
  }

  public var type: Kind
  /// The secret in Base32.
  public var secret: String
  /// The algorithm in upper case, such as SHA1.
  public var algorithm: String?
  public var digits: Int?
  /// The time step of `totp` in seconds.
  public var period: Int?
  /// The counter of `hotp`.
  public var counter: Int?
  public var issuer: String
  /// The account name at the issuer.
  public var label: String
  /// The server's id of the device, if known.
  public var resource: String?
  /// The server's policies for the machine, as JSON text.
  public var policies: String?

  public init(
    type: Kind,
    secret: String,
    algorithm: String? = nil,
    digits: Int? = nil,
    period: Int? = nil,
    counter: Int? = nil,
    issuer: String?,
    label: String?,
    resource: String? = nil,
    policies: String? = nil
  ) {
    (self.type, self.secret, self.algorithm) = (type, secret, algorithm?.uppercased())
    (self.digits, self.period, self.counter, self.resource) = (digits, period, counter, resource)
    self.policies = policies
    (self.issuer, self.label) = AccountNames(issuer: issuer, label: label).complete
  }
}

extension OATHRecord: CustomStringConvertible, CustomReflectable {
  /// Only the type's name, because the record contains a secret.
  public var description: String { "OATHRecord" }

  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
