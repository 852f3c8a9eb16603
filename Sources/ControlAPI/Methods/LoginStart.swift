internal import JSON
package import JSONRPC

/// Begins a sign-on, which ends in a pairing.
package struct LoginStart: ControlMethod {
  package static let name = "login.start"
  package static let access = AccessClass.answer
  package static let summary = "begins a sign-on, which ends in a pairing"
  package static let parameters: [Property] = [
    .required("method", .choice(methods)),
    .optional("issuer", .text(maximum: 2048)),
    .optional("locale", .text(maximum: 64)),
    .optional("parameters", .map(.text(maximum: 2048))),
  ]
  package static let audit: AuditRule? = AuditRule(
    .answer(["login"]),
    outcome: .member("node", unremarkable: ["continue", "success"])
  )

  package typealias Answer = Node

  /// How to sign on.
  package let method: String

  /// The issuer; absent: the first that is configured.
  package let issuer: String?

  /// The language to ask in.
  package let locale: String?

  /// Further parameters of the authorize request.
  package let parameters: [(name: String, value: String)]

  package init(_ parameters: Parameters) throws(RPCError) {
    method = try parameters.text("method")
    issuer = parameters.optionalText("issuer")
    locale = parameters.optionalText("locale")
    let extra = parameters.optionalValue("parameters")?.object?.members ?? []
    self.parameters = extra.map { ($0.name, $0.value.string ?? "") }
  }

  /// The ways to sign on.
  package static let methods = ["signon"]
}
