package import JSONRPC

package struct LoginCancel: ControlMethod {
  package static let name = "login.cancel"
  package static let access = AccessClass.answer
  package static let summary = "ends a sign-on"
  package static let parameters: [Property] = [
    .required("login", .identifier)
  ]
  package static let audit: AuditRule? = AuditRule(.parameter("login"))

  package typealias Answer = Nothing

  package let login: String

  package init(_ parameters: Parameters) throws(RPCError) {
    login = try parameters.text("login")
  }
}
