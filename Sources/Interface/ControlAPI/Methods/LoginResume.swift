package import JSONRPC

/// Goes on with a sign-on from an address that a person brings from elsewhere.
package struct LoginResume: ControlMethod {
  package static let name = "login.resume"
  package static let access = AccessClass.answer
  package static let summary = "goes on with a sign-on from an address that a browser or an e-mail gave"
  package static let parameters: [Property] = [
    .required("login", .identifier),
    .required("uri", .text(maximum: 16_384), "the address that the browser ended at, or a link of an e-mail"),
  ]
  package static let audit: AuditRule? = AuditRule(
    .parameter("login"),
    outcome: .member("node", unremarkable: ["continue", "success"])
  )

  package typealias Answer = Node

  package let login: String

  package let address: String

  package init(_ parameters: Parameters) throws(RPCError) {
    (login, address) = (try parameters.text("login"), try parameters.text("uri"))
  }
}
