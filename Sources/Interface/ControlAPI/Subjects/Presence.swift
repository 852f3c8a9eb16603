package import Configuration
package import JSONRPC

package struct PresenceSet: ControlMethod {
  package static let name = "presence.set"
  package static let access = AccessClass.admin
  package static let summary = "says which approvals of the caller's want the person verified"
  package static let errors: [RPCError] = .presence + [.permissionDenied]
  package static let parameters = Shape(
    PresenceSet.init(requirement:presence:),
    .required("require", \.requirement, "none is laxer than passkeys, and passkeys than all"),
    PresenceClaim.parameter(\.presence)
  )
  package static let envelope: Shape<PresenceRequirement>? = .member("require", "what is in force")
  package static var example: Example<Self> { Example(PresenceSet(requirement: .all), .all) }

  package let requirement: PresenceRequirement
  package let presence: PresenceClaim?

  package init(requirement: PresenceRequirement, presence: PresenceClaim? = nil) {
    (self.requirement, self.presence) = (requirement, presence)
  }
}

/// How the person who makes a call can be verified.
package struct PresenceClaim: ControlObject, Equatable {
  package enum Method: String, ControlChoice {
    case pin, fingerprint, password
  }

  package let method: Method
  /// With the method `pin`.
  package let pin: String?

  package static func pin(_ pin: String) -> PresenceClaim { PresenceClaim(method: .pin, pin: pin) }

  package static let shape = Shape(
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
