package import JSONRPC

/// Claims an authentication code.
package struct AuthenticationStart: ControlMethod {
  package static let name = "authentication.start"
  package static let access = AccessClass.answer
  package static let summary = "claims an authentication code"
  package static let parameters: [Property] = [
    .required("code", .text(maximum: 2048))
  ]
  package static let audit: AuditRule? = AuditRule(
    .answer(["id"]),
    outcome: .member("status", unremarkable: ["CLAIMED", "COMPLETED"])
  )

  package typealias Answer = AuthenticationObject

  /// The code, alone or within a URI.
  package let code: String

  package init(_ parameters: Parameters) throws(RPCError) {
    code = try parameters.text("code")
  }
}
