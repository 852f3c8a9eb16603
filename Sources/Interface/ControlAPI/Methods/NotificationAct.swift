package import JSON
package import JSONRPC

package struct NotificationAct: ControlMethod {
  package static let name = "notification.act"
  package static let access = AccessClass.answer
  package static let summary = "takes a push as a transport delivered it and decides it"
  package static let errors: [RPCError] =
    .decision + .presence + [.unrecognizedNotification, .tokenRejected, .numberRequired, .quota]
  package static let audit: AuditRule<Self>? = AuditRule(made: { $0?.id })
  package static let parameters = Shape(
    NotificationAct.init(action:payload:authenticationMethod:presence:),
    .required("action", \.action, "what was chosen; open only takes the push"),
    .required(
      "payload",
      \.payload,
      as: NotificationProcess.payload,
      "the transport's message as it came, object or text"
    ),
    AuthenticationMethod.parameter(\.authenticationMethod),
    PresenceClaim.parameter(\.presence)
  )
  package static let envelope = NotificationProcess.envelope
  package static var example: Example<Self> {
    Example(
      NotificationAct(action: .approve, payload: Samples.payload),
      Samples.notification(.approved, Samples.approval)
    )
  }

  package let action: NotificationAction
  package let payload: JSON
  package let authenticationMethod: String
  package let presence: PresenceClaim?

  package var worksWhileLocked: Bool { action == .deny || presence != nil }

  package init(
    action: NotificationAction,
    payload: JSON,
    authenticationMethod: String = AuthenticationMethod.standard,
    presence: PresenceClaim? = nil
  ) {
    (self.action, self.payload) = (action, payload)
    (self.authenticationMethod, self.presence) = (authenticationMethod, presence)
  }
}
