package import JSONRPC

package struct AccountRemove: ControlMethod {
  package static let name = "account.remove"
  package static let access = AccessClass.admin
  package static let summary = "ends a pairing, on both sides or on this one alone"
  package static let errors: [RPCError] = .platform + [.notFound, .policyRefuses]
  package static let audit: AuditRule<Self>? = AuditRule(target: \.account)
  package static let parameters = Shape(
    AccountRemove.init(account:isLocalOnly:),
    .required("account", \.account, as: .identifier, "the account"),
    .optional("localOnly", \.isLocalOnly, default: false, "the platform is not told")
  )
  package static let envelope: Shape<Bool>? = .member("remainsOnServer", "the platform still has the pairing")
  package static var example: Example<Self> { Example(AccountRemove(account: "a1"), false) }

  package let account: String
  package let isLocalOnly: Bool

  package init(account: String, isLocalOnly: Bool = false) {
    (self.account, self.isLocalOnly) = (account, isLocalOnly)
  }
}
