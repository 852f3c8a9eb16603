package import JSON
package import JSONRPC

/// Takes a push as a transport delivered it, and does what its owner chose from its buttons.
package struct NotificationAct: ControlMethod {
  package static let name = "notification.act"
  package static let access = AccessClass.answer
  package static let summary = "takes a push as a transport delivered it and answers it"
  package static let parameters: [Property] = [
    .required("action", .choice(NotificationAction.allCases.map(\.rawValue))),
    .required("payload", NotificationProcess.payload),
    .optional("authenticationMethod", .choice(AuthenticationMethod.names)),
  ]
  package static let audit: AuditRule? = AuditRule(.answer(["notification", "id"]))

  package typealias Answer = NotificationProcess.Answer

  /// What was chosen; opening only takes the push.
  package let action: NotificationAction

  /// How the person was recognized, RFC 8176.
  package let authenticationMethod: String

  package let payload: JSON

  package init(_ parameters: Parameters) throws(RPCError) {
    guard let action = NotificationAction(rawValue: try parameters.text("action")) else {
      throw .invalidParameter("action")
    }
    self.action = action
    authenticationMethod = parameters.optionalText("authenticationMethod") ?? AuthenticationMethod.standard
    payload = try parameters.value("payload")
  }
}
