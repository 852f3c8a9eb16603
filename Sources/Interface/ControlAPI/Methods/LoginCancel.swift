package import JSONRPC

package struct LoginCancel: ControlMethod {
  package static let name = "login.cancel"
  package static let access = AccessClass.answer
  package static let summary = "ends a sign-on; a request that it has sent stays to be decided"
  package static let errors: [RPCError] = [.notFound, .expired]
  package static let audit: AuditRule<Self>? = AuditRule(target: \.login)
  package static let parameters = Shape(
    LoginCancel.init(login:),
    .required("login", \.login, as: .identifier, "the sign-on")
  )
  package static var example: Example<Self> { Example(LoginCancel(login: "l1"), Nothing()) }

  package typealias Result = Nothing

  package let login: String

  package init(login: String) { self.login = login }
}
