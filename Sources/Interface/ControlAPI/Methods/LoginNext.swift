package import JSON
package import JSONRPC

/// Answers a step of a sign-on.
package struct LoginNext: ControlMethod {
  package static let name = "login.next"
  package static let access = AccessClass.answer
  package static let summary = "answers a step of a sign-on; one that only waits is answered without values"
  package static let parameters: [Property] = [
    .required("login", .identifier),
    .optional("values", .map(.anything), "the answers by the keys of the step's collectors"),
    .optional("action", .text(maximum: 256), "absent: the first of kind submit"),
  ]
  package static let audit: AuditRule? = AuditRule(
    .parameter("login"),
    outcome: .member("node", unremarkable: ["continue", "success"])
  )

  package typealias Answer = Node

  package let login: String

  /// The answers by their keys.
  package let values: JSONObject

  /// How to go on; absent: the first submit.
  package let action: String?

  package init(_ parameters: Parameters) throws(RPCError) {
    login = try parameters.text("login")
    values = parameters.optionalValue("values")?.object ?? [:]
    action = parameters.optionalText("action")
  }
}
