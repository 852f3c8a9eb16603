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
