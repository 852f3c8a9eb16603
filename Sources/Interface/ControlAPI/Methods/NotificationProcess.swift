package import JSON
package import JSONRPC

package struct NotificationProcess: ControlMethod {
  package static let name = "notification.process"
  package static let access = AccessClass.answer
  package static let summary = "takes a push as a transport delivered it"
  package static let errors: [RPCError] = [
    .notConfigured, .keyUnavailable, .unrecognizedNotification, .tokenRejected,
  ]
  package static let audit: AuditRule<Self>? = AuditRule(made: { $0?.id })
  package static let parameters = Shape(
    NotificationProcess.init(payload:),
    .required("payload", \.payload, as: payload, "the transport's message as it came, object or text")
  )
  package static let envelope: Shape<NotificationObject?>? = .member(
    "notification",
    "the push; null: there is nothing to show"
  )
  package static var example: Example<Self> {
    Example(NotificationProcess(payload: Samples.payload), Samples.notification)
  }

  /// An object, or the text that it stands in.
  static let payload = Schema.either(.text(maximum: 65_536), .map(.anything))

  package let payload: JSON

  package init(payload: JSON) { self.payload = payload }
}
