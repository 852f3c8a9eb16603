public import Configuration
public import JSONRPC

public struct PresenceSet: ControlMethod {
  public static let name = "presence.set"
  public static let access = AccessClass.admin
  public static let summary = "sets which of the caller's approvals require user verification"
  public static let errors: [RPCError] = .presence + [.permissionDenied]
  public static let parameters = Shape(
    PresenceSet.init(requirement:presence:),
    .required(
      "require",
      \.requirement,
      "the approvals that require user verification, laxest first: none, passkeys, all (and each passcode)"
    ),
    PresenceClaim.parameter(\.presence)
  )
  public static let envelope: Shape<PresenceRequirement>? = .member("require", "the active requirement")
  public static var example: Example<Self> { Example(PresenceSet(requirement: .all), .all) }

  public let requirement: PresenceRequirement
  public let presence: PresenceClaim?

  public init(requirement: PresenceRequirement, presence: PresenceClaim? = nil) {
    (self.requirement, self.presence) = (requirement, presence)
  }
}

/// A verification of the user for one call: its method and, for the method `pin`, the PIN.
public struct PresenceClaim: ControlObject, Equatable {
  public enum Method: String, ControlChoice {
    case pin, fingerprint, password
  }

  public let method: Method
  /// The PIN, for the method `pin`.
  public let pin: String?

  public static func pin(_ pin: String) -> PresenceClaim { PresenceClaim(method: .pin, pin: pin) }

  public static let shape = Shape(
    "Presence",
    PresenceClaim.init(method:pin:),
    .required("method", \.method, "the method"),
    .optional("pin", \.pin, as: .text(maximum: 128), "the PIN, for the method pin")
  )

  /// The parameter of every method that may require user presence.
  static func parameter<Root: Sendable>(
    _ get: @escaping @Sendable (Root) -> PresenceClaim?
  ) -> Field<Root, PresenceClaim?> {
    .optional("presence", get, "the user verification")
  }
}

extension PresenceRequirement: ControlChoice {}
