package import JSONRPC

package struct AccountList: ControlMethod {
  package static let name = "account.list"
  package static let access = AccessClass.read
  package static let summary = "lists the accounts that are paired"
  package static let errors: [RPCError] = [.keyUnavailable]
  package static let parameters = Shape(AccountList.init)
  package static let envelope: Shape<[Account]>? = .member("accounts", "the caller's accounts")
  package static var example: Example<Self> { Example(AccountList(), [Samples.account]) }

  package init() {}
}
