package import JSONRPC

package struct LoginResume: ControlMethod {
  package static let name = "login.resume"
  package static let access = AccessClass.answer
  package static let summary = "goes on with a sign-on from an address that a browser or an e-mail gave"
  package static let errors: [RPCError] = .signOn + [.expired]
  package static let audit: AuditRule<Self>? = AuditRule(target: \.login, outcome: { $1.remarkableOutcome })
  package static let parameters = Shape(
    LoginResume.init(login:address:),
    .required("login", \.login, as: .identifier, "the sign-on"),
    .required(
      "uri",
      \.address,
      as: .text(maximum: 16_384),
      "the address that the browser ended at, or a link of an e-mail"
    )
  )
  package static var example: Example<Self> {
    Example(
      LoginResume(login: "l1", address: "http://127.0.0.1/callback?code=x&state=y"),
      Samples.signedOn(by: .redirect)
    )
  }

  package typealias Result = Node

  package let login: String
  package let address: String

  package init(login: String, address: String) {
    (self.login, self.address) = (login, address)
  }
}
