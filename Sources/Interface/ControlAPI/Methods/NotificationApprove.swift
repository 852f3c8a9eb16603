package import JSONRPC

/// Approves what a push asks.
package struct NotificationApprove: ControlMethod {
  package static let name = "notification.approve"
  package static let access = AccessClass.answer
  package static let summary = "approves what a push asks"
  package static let parameters: [Property] = [
    .required("notification", .identifier),
    .optional("authenticationMethod", .choice(AuthenticationMethod.names)),
    .optional("number", .integer(MatchedNumber.range)),
  ]
  package static let audit: AuditRule? = AuditRule(.parameter("notification"))

  package typealias Answer = NotificationAnswer

  package let notification: String

  /// How the person was recognized, RFC 8176.
  package let authenticationMethod: String

  /// The number shown where the person signs on; refused for a push that wants none, which then is not the one
  /// that the person sees there.
  package let number: Int?

  package init(_ parameters: Parameters) throws(RPCError) {
    notification = try parameters.text("notification")
    authenticationMethod = parameters.optionalText("authenticationMethod") ?? AuthenticationMethod.standard
    number = parameters.optionalInt("number")
  }
}
