/// What an authenticator keeps of an account whose pushes a PingAM server sends, as it says it: only the names are
/// checked.
public struct PushRecord: Sendable, Equatable {
  /// What the server knows the pushes by.
  public let mechanism: String
  /// In Base64.
  public let secret: String
  /// Where pushes are answered; without an `_action` where whatever the server hears of them goes.
  public let endpoint: String
  /// The identity's name at the server.
  public let user: String?
  /// What the server knows the device by.
  public let resource: String?
  /// A text in JSON, as it came.
  public let policies: String?
  public let issuer: String
  /// The name of the account at the issuer.
  public let label: String
}

extension PushRecord: CustomStringConvertible, CustomReflectable {
  /// Nothing of the secret.
  public var description: String { "PushRecord" }

  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
