/// What a key URI or an export says of one OATH credential, as it says it: nothing of it is checked yet.
package struct OATHRecord: Sendable, Equatable {
  package enum Kind: String, Sendable {
    case totp, hotp
  }

  package var type: Kind
  /// In Base32.
  package var secret: String
  /// In upper case, like SHA1.
  package var algorithm: String?
  package var digits: Int?
  /// In seconds, of `totp`.
  package var period: Int?
  /// Of `hotp`.
  package var counter: Int?
  package var issuer: String
  /// The name of the account at the issuer.
  package var label: String

  package init(
    type: Kind,
    secret: String,
    algorithm: String? = nil,
    digits: Int? = nil,
    period: Int? = nil,
    counter: Int? = nil,
    issuer: String?,
    label: String?
  ) throws(OATHError) {
    let (issuer, label) = (Self.nonempty(issuer), Self.nonempty(label))
    // A name alone is both, and an account without one is called as by PingAM's clients.
    guard let shown = issuer ?? label else { throw .missing("issuer") }
    (self.type, self.secret, self.algorithm) = (type, secret, algorithm?.uppercased())
    (self.digits, self.period, self.counter) = (digits, period, counter)
    (self.issuer, self.label) = (shown, label ?? "Untitled")
  }

  private static func nonempty(_ name: String?) -> String? {
    let trimmed = (name ?? "").drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
    return trimmed.isEmpty ? nil : String(trimmed)
  }
}

extension OATHRecord: CustomStringConvertible, CustomReflectable {
  /// Nothing of the secret.
  package var description: String { "OATHRecord" }

  /// A mirror without children, so that `dump` shows nothing.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
