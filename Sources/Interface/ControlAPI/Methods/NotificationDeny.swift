package import JSONRPC

package struct NotificationDeny: ControlMethod {
  package static let name = "notification.deny"
  package static let access = AccessClass.answer
  package static let summary = "denies what a push asks"
  package static let errors: [RPCError] = .decision
  package static let audit: AuditRule<Self>? = AuditRule(
    target: \.notification,
    outcome: { deny, _ in deny.reason == "NONE" ? nil : "DENIED_\(deny.reason)" }
  )
  package static let parameters = Shape(
    NotificationDeny.init(notification:reason:),
    .required("notification", \.notification, as: .identifier, "the push"),
    .optional(
      "reason",
      \.reason,
      as: .choice(["NONE", "REPORT_FRAUD", "BIOMETRICS_REJECTED"]),
      default: "NONE",
      "why"
    )
  )
  package static var example: Example<Self> {
    Example(
      NotificationDeny(notification: "n1", reason: "REPORT_FRAUD"),
      NotificationResult(Samples.notification(.denied, Samples.denial))
    )
  }

  package typealias Result = NotificationResult

  package let notification: String
  package let reason: String

  package var worksWhileLocked: Bool { true }

  package init(notification: String, reason: String = "NONE") {
    (self.notification, self.reason) = (notification, reason)
  }
}
