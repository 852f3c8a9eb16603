package import JSON
package import JSONRPC

/// Denies a claimed code.
package struct AuthenticationDeny: ControlMethod {
  package static let name = "authentication.deny"
  package static let access = AccessClass.answer
  package static let summary = "denies a claimed code"
  package static let parameters: [Property] = [
    .required("authentication", .identifier),
    .optional("userId", .identifier),
  ]
  package static let audit: AuditRule? = AuditRule(
    .parameter("authentication"),
    outcome: .member("status", unremarkable: ["DENIED"])
  )

  /// How the code ended.
  package struct Answer: ControlValue {
    package static let schema = Schema.object([.required("status", .choice(["DENIED", "EXPIRED"]))])

    /// How the code ended.
    package let status: AuthenticationObject.Status

    package var json: JSON { ["status": .string(status.rawValue)] }

    /// How the code ended.
    package init(status: AuthenticationObject.Status) { self.status = status }
  }

  /// The claimed code's id.
  package let authentication: String

  /// For whom, when there are several.
  package let userID: String?

  package init(_ parameters: Parameters) throws(RPCError) {
    authentication = try parameters.text("authentication")
    userID = parameters.optionalText("userId")
  }
}
