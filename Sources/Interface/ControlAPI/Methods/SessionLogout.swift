package import JSONRPC

package struct SessionLogout: ControlMethod {
  package static let name = "session.logout"
  package static let access = AccessClass.use
  package static let summary = "ends the kept session of an account's user, here and with its issuer"
  package static let errors: [RPCError] = .session
  package static let isWrite = true
  package static let audit: AuditRule<Self>? = AuditRule(target: \.account)
  package static let parameters = Shape(
    SessionLogout.init(account:),
    .required("account", \.account, as: .identifier, "the account whose user it is")
  )
  package static var example: Example<Self> { Example(SessionLogout(account: "a1"), Nothing()) }

  package typealias Result = Nothing

  package let account: String

  package init(account: String) { self.account = account }
}
