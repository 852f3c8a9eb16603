package import JSON

/// In the place of a value of a sign-on's field: a passcode of an account of this machine.
package struct OwnPasscode: ControlObject {
  /// The id of the account; empty: the only one that makes passcodes for the issuer.
  package let account: String

  package static let shape = Shape(
    OwnPasscode.init(account:),
    .required("passcode", \.account, as: .identifier, "the account; empty: the only one of the issuer")
  )

  package init(account: String) { self.account = account }

  /// What a value asks for; `nil` if it is a value like others.
  package init?(value: JSON) {
    guard value.object?.names == Self.shape.properties.map(\.name),
      let wanted = try? OwnPasscode(reading: value)
    else { return nil }
    self = wanted
  }
}
