internal import JSON
package import JSONRPC

/// Answers a step of a sign-on.
package struct LoginNext: ControlMethod {
  package static let name = "login.next"
  package static let access = AccessClass.answer
  package static let summary = "answers a step of a sign-on"
  package static let parameters: [Property] = [
    .required("login", .identifier),
    .optional("values", .map(.text(maximum: 8192))),
    .optional("action", .text(maximum: 256)),
  ]
  package static let audit: AuditRule? = AuditRule(
    .parameter("login"),
    outcome: .member("node", unremarkable: ["continue", "success"])
  )

  package typealias Answer = Node

  /// The sign-on's id.
  package let login: String

  /// The answers by their keys.
  package let values: [String: String]

  /// How to go on; absent: the first submit.
  package let action: String?

  package init(_ parameters: Parameters) throws(RPCError) {
    login = try parameters.text("login")
    let members = parameters.optionalValue("values")?.object?.members ?? []
    values = Dictionary(members.map { ($0.name, $0.value.string ?? "") }) { first, _ in first }
    action = parameters.optionalText("action")
  }
}
