package import JSON
package import JSONRPC

package struct NotificationAct: ControlMethod {
  package static let name = "notification.act"
  package static let access = AccessClass.answer
  package static let summary = "takes a push as a transport delivered it and decides it"
  package static let errors: [RPCError] =
    .decision + [.unrecognizedNotification, .tokenRejected, .numberRequired, .presenceRequired, .quota]
  package static let audit: AuditRule<Self>? = AuditRule(made: { $0?.id })
  package static let parameters = Shape(
    NotificationAct.init(action:payload:authenticationMethod:),
    .required("action", \.action, "what was chosen; open only takes the push"),
    .required(
      "payload",
      \.payload,
      as: NotificationProcess.payload,
      "the transport's message as it came, object or text"
    ),
    AuthenticationMethod.parameter(\.authenticationMethod)
  )
  package static let envelope = NotificationProcess.envelope
  package static let example = Example(
    NotificationAct(action: .approve, payload: Samples.payload),
    Samples.notification(.approved, Samples.approval)
  )

  package let action: NotificationAction
  package let payload: JSON
  package let authenticationMethod: String

  package var worksWhileLocked: Bool { action == .deny }

  package init(
    action: NotificationAction,
    payload: JSON,
    authenticationMethod: String = AuthenticationMethod.standard
  ) {
    (self.action, self.payload, self.authenticationMethod) = (action, payload, authenticationMethod)
  }
}
