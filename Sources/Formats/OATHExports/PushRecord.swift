/// What an authenticator keeps of an account whose pushes a PingAM server sends, as it says it: only the names are
/// checked.
package struct PushRecord: Sendable, Equatable {
  /// What the server knows the pushes by.
  package let mechanism: String
  /// In Base64.
  package let secret: String
  /// Where pushes are answered; without an `_action` where whatever the server hears of them goes.
  package let endpoint: String
  /// The identity's name at the server.
  package let user: String?
  /// What the server knows the device by.
  package let resource: String?
  /// A text in JSON, as it came.
  package let policies: String?
  package let issuer: String
  /// The name of the account at the issuer.
  package let label: String
}

extension PushRecord: CustomStringConvertible, CustomReflectable {
  /// Nothing of the secret.
  package var description: String { "PushRecord" }

  /// A mirror without children, so that `dump` shows nothing.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
