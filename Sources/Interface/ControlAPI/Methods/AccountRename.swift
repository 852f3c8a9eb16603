package import JSONRPC

/// Gives an account a name of its owner's, here and with its platform.
package struct AccountRename: ControlMethod {
  package static let name = "account.rename"
  package static let access = AccessClass.admin
  package static let summary = "gives an account a name of its owner's, here and with its platform"
  package static let parameters: [Property] = [
    .required("account", .identifier), .required("nickname", .text(maximum: 200)),
  ]
  package static let audit: AuditRule? = AuditRule(.parameter("account"))

  /// The account as it is now.
  package typealias Answer = Account

  package let account: String
  package let nickname: String

  package init(_ parameters: Parameters) throws(RPCError) {
    (account, nickname) = (try parameters.text("account"), try parameters.text("nickname"))
  }
}
