/// The push credential of a PingAM account as an authenticator exports it; only the names are checked.
public struct PushRecord: Sendable, Equatable {
  /// The id that messages between device and server use for this credential.
  public let mechanism: String
  /// The secret in Base64.
  public let secret: String
  /// URL for answering pushes; without an `_action`, it is the common URL of all actions.
  public let endpoint: String
  /// The user's id at the server.
  public let user: String?
  /// The server's id of the device.
  public let resource: String?
  /// The policies as JSON text, unchanged.
  public let policies: String?
  public let issuer: String
  /// The account name at the issuer.
  public let label: String
}

extension PushRecord: CustomStringConvertible, CustomReflectable {
  /// Only the type's name, because the record contains a secret.
  public var description: String { "PushRecord" }

  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
