package import JSONRPC

package struct AuthenticationApprove: ControlMethod {
  package static let name = "authentication.approve"
  package static let access = AccessClass.answer
  package static let summary = "authenticates with a claimed code"
  package static let errors: [RPCError] =
    .platform + .presence + [.notFound, .expired, .alreadyAnswered, .accountLocked, .deviceRequirements]
  package static let audit: AuditRule<Self>? = AuditRule(
    target: \.authentication,
    outcome: { $1 == .completed ? nil : $1.name }
  )
  package static let parameters = Shape(
    AuthenticationApprove.init(authentication:userID:presence:),
    .required("authentication", \.authentication, as: .identifier, "the claimed code"),
    .optional("userId", \.userID, as: .identifier, "for whom, when there are several"),
    PresenceClaim.parameter(\.presence)
  )
  package static let envelope: Shape<Open<AuthenticationObject.Status>>? = .member(
    "status",
    as: .choice(["COMPLETED", "EXPIRED"]),
    "how the code ended"
  )
  package static var example: Example<Self> {
    Example(AuthenticationApprove(authentication: "c1"), .known(.completed))
  }

  package let authentication: String
  package let userID: String?
  package let presence: PresenceClaim?

  package var worksWhileLocked: Bool { presence != nil }

  package init(authentication: String, userID: String? = nil, presence: PresenceClaim? = nil) {
    (self.authentication, self.userID, self.presence) = (authentication, userID, presence)
  }
}
