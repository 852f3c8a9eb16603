package import JSONRPC

package struct AccountRename: ControlMethod {
  package static let name = "account.rename"
  package static let access = AccessClass.admin
  package static let summary = "gives an account a name of its owner's, here and with its platform"
  package static let errors: [RPCError] = .platform + [.notFound, .policyRefuses, .accountLocked]
  package static let audit: AuditRule<Self>? = AuditRule(target: \.account)
  package static let parameters = Shape(
    AccountRename.init(account:nickname:),
    .required("account", \.account, as: .identifier, "the account"),
    .required("nickname", \.nickname, as: .text(maximum: 200), "what to call it")
  )
  package static var example: Example<Self> {
    Example(AccountRename(account: "a1", nickname: "desk"), Samples.account)
  }

  package typealias Result = Account

  package let account: String
  package let nickname: String

  package init(account: String, nickname: String) {
    (self.account, self.nickname) = (account, nickname)
  }
}
