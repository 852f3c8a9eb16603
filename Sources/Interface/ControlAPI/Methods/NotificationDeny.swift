package import JSONRPC

/// Denies what a push asks.
package struct NotificationDeny: ControlMethod {
  package static let name = "notification.deny"
  package static let access = AccessClass.answer
  package static let summary = "denies what a push asks"
  package static let parameters: [Property] = [
    .required("notification", .identifier),
    .optional("reason", .choice(["NONE", "REPORT_FRAUD", "BIOMETRICS_REJECTED"])),
  ]
  package static let audit: AuditRule? = AuditRule(
    .parameter("notification"),
    outcome: .denial(parameter: "reason")
  )

  package typealias Answer = NotificationAnswer

  package let notification: String

  /// Why; NONE unless it is said.
  package let reason: String

  package init(_ parameters: Parameters) throws(RPCError) {
    notification = try parameters.text("notification")
    reason = parameters.optionalText("reason") ?? "NONE"
  }
}
