package import JSONRPC

/// Ends the kept session of an account's user, here and with its issuer.
package struct SessionLogout: ControlMethod {
  package static let name = "session.logout"
  package static let access = AccessClass.use
  package static let summary = "ends the kept session of an account's user, here and with its issuer"
  package static let parameters: [Property] = [.required("account", .identifier)]
  package static let isWrite = true
  package static let audit: AuditRule? = AuditRule(.parameter("account"))

  package typealias Answer = Nothing

  /// The account whose user it is.
  package let account: String

  package init(_ parameters: Parameters) throws(RPCError) { account = try parameters.text("account") }
}
