package import JSONRPC

package struct AuthenticationDeny: ControlMethod {
  package static let name = "authentication.deny"
  package static let access = AccessClass.answer
  package static let summary = "denies a claimed code"
  package static let errors: [RPCError] = .platform + [.notFound, .expired, .alreadyAnswered]
  package static let audit: AuditRule<Self>? = AuditRule(
    target: \.authentication,
    outcome: { $1 == .denied ? nil : $1.name }
  )
  package static let parameters = Shape(
    AuthenticationDeny.init(authentication:userID:),
    .required("authentication", \.authentication, as: .identifier, "the claimed code"),
    .optional("userId", \.userID, as: .identifier, "for whom, when there are several")
  )
  package static let envelope: Shape<Open<AuthenticationObject.Status>>? = .member(
    "status",
    as: .choice(["DENIED", "EXPIRED"]),
    "how the code ended"
  )
  package static var example: Example<Self> {
    Example(AuthenticationDeny(authentication: "c1"), .known(.denied))
  }

  package let authentication: String
  package let userID: String?

  package var worksWhileLocked: Bool { true }

  package init(authentication: String, userID: String? = nil) {
    (self.authentication, self.userID) = (authentication, userID)
  }
}
