package import JSONRPC

package struct NotificationApprove: ControlMethod {
  package static let name = "notification.approve"
  package static let access = AccessClass.answer
  package static let summary = "approves what a push asks"
  package static let errors: [RPCError] = .decision + [.numberRequired, .numberMismatch, .presenceRequired]
  package static let audit: AuditRule<Self>? = AuditRule(target: \.notification)
  package static let parameters = Shape(
    NotificationApprove.init(notification:authenticationMethod:number:),
    .required("notification", \.notification, as: .identifier, "the push"),
    AuthenticationMethod.parameter(\.authenticationMethod),
    .optional(
      "number",
      \.number,
      as: .integer(MatchedNumber.range),
      "the number that the sign-on shows; refused for a push that wants none"
    )
  )
  package static let example = Example(
    NotificationApprove(notification: "n1"),
    NotificationResult(Samples.notification(.approved, Samples.approval))
  )

  package typealias Result = NotificationResult

  package let notification: String
  package let authenticationMethod: String
  package let number: Int?

  package init(
    notification: String,
    authenticationMethod: String = AuthenticationMethod.standard,
    number: Int? = nil
  ) {
    (self.notification, self.authenticationMethod, self.number) = (notification, authenticationMethod, number)
  }
}
