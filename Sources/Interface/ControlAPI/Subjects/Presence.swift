public import Configuration
public import JSONRPC

public struct PresenceSet: ControlMethod {
  public static let name = "presence.set"
  public static let access = AccessClass.admin
  public static let summary = "says which approvals of the caller's want the person verified"
  public static let errors: [RPCError] = .presence + [.permissionDenied]
  public static let parameters = Shape(
    PresenceSet.init(requirement:presence:),
    .required("require", \.requirement, "none is laxer than passkeys, and passkeys than all"),
    PresenceClaim.parameter(\.presence)
  )
  public static let envelope: Shape<PresenceRequirement>? = .member("require", "what is in force")
  public static var example: Example<Self> { Example(PresenceSet(requirement: .all), .all) }

  public let requirement: PresenceRequirement
  public let presence: PresenceClaim?

  public init(requirement: PresenceRequirement, presence: PresenceClaim? = nil) {
    (self.requirement, self.presence) = (requirement, presence)
  }
}

/// How the person who makes a call can be verified.
public struct PresenceClaim: ControlObject, Equatable {
  public enum Method: String, ControlChoice {
    case pin, fingerprint, password
  }

  public let method: Method
  /// With the method `pin`.
  public let pin: String?

  public static func pin(_ pin: String) -> PresenceClaim { PresenceClaim(method: .pin, pin: pin) }

  public static let shape = Shape(
    "Presence",
    PresenceClaim.init(method:pin:),
    .required("method", \.method, "by what"),
    .optional("pin", \.pin, as: .text(maximum: 128), "the PIN, for the method of that name")
  )

  /// The parameter of every method that wants somebody there, or may want that.
  static func parameter<Root: Sendable>(
    _ get: @escaping @Sendable (Root) -> PresenceClaim?
  ) -> Field<Root, PresenceClaim?> {
    .optional("presence", get, "what verifies the person")
  }
}

extension PresenceRequirement: ControlChoice {}
