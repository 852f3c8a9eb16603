package import JSONRPC

package struct NotificationApprove: ControlMethod {
  package static let name = "notification.approve"
  package static let access = AccessClass.answer
  package static let summary = "approves what a push asks"
  package static let errors: [RPCError] = .decision + [.numberRequired, .numberMismatch] + .presence
  package static let audit: AuditRule<Self>? = AuditRule(target: \.notification)
  package static let parameters = Shape(
    NotificationApprove.init(notification:authenticationMethod:number:presence:),
    .required("notification", \.notification, as: .identifier, "the push"),
    AuthenticationMethod.parameter(\.authenticationMethod),
    .optional(
      "number",
      \.number,
      as: .integer(MatchedNumber.range),
      "the number that the sign-on shows; refused for a push that wants none"
    ),
    PresenceClaim.parameter(\.presence)
  )
  package static var example: Example<Self> {
    Example(
      NotificationApprove(notification: "n1"),
      NotificationResult(Samples.notification(.approved, Samples.approval))
    )
  }

  package typealias Result = NotificationResult

  package let notification: String
  package let authenticationMethod: String
  package let number: Int?
  package let presence: PresenceClaim?

  package var worksWhileLocked: Bool { presence != nil }

  package init(
    notification: String,
    authenticationMethod: String = AuthenticationMethod.standard,
    number: Int? = nil,
    presence: PresenceClaim? = nil
  ) {
    (self.notification, self.authenticationMethod) = (notification, authenticationMethod)
    (self.number, self.presence) = (number, presence)
  }
}
