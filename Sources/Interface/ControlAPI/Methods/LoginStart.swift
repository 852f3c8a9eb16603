internal import JSON
package import JSONRPC

/// Begins a sign-on, which may end in a pairing.
package struct LoginStart: ControlMethod {
  package static let name = "login.start"
  package static let access = AccessClass.answer
  package static let summary = "begins a sign-on, which may end in a pairing"
  package static let parameters: [Property] = [
    .required("method", .choice(LoginMethod.names)),
    .optional("issuer", .text(maximum: 2048), "absent: the first that is configured"),
    .optional("journey", .text(maximum: 256), "the name of the journey"),
    .optional("forceAuth", .boolean, "sign on anew, though the server may know the user"),
    .optional("noSession", .boolean, "leave nothing here by which the server knows the user again"),
    .optional("locale", .text(maximum: 64), "the language to ask in, as in Accept-Language"),
    .optional("parameters", .map(.text(maximum: 2048)), "further parameters of the authorization request"),
  ]
  package static let audit: AuditRule? = AuditRule(
    .answer(["login"]),
    outcome: .member("node", unremarkable: ["continue", "success"])
  )

  package typealias Answer = Node

  /// How to sign on.
  package let method: LoginMethod

  /// The issuer; absent: the first that is configured.
  package let issuer: String?

  package let journey: String?

  /// Whether to sign on although there is a session.
  package let forcesAuthentication: Bool

  /// Whether nothing is to be left by which the server knows the user again: of a journey no session at all.
  package let wantsNoSession: Bool

  /// The language to ask in.
  package let locale: String?

  /// Further parameters of the authorization request.
  package let parameters: [(name: String, value: String)]

  package init(_ parameters: Parameters) throws(RPCError) {
    guard let method = LoginMethod(rawValue: try parameters.text("method")) else {
      throw .invalidParameter("method")
    }
    self.method = method
    issuer = parameters.optionalText("issuer")
    journey = parameters.optionalText("journey")
    forcesAuthentication = parameters.flag("forceAuth")
    wantsNoSession = parameters.flag("noSession")
    locale = parameters.optionalText("locale")
    let extra = parameters.optionalValue("parameters")?.object?.members ?? []
    self.parameters = extra.map { ($0.name, $0.value.string ?? "") }
  }
}
