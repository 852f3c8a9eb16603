package import JSONRPC

package struct AccountList: ControlMethod {
  package static let name = "account.list"
  package static let access = AccessClass.read
  package static let summary = "lists the accounts that are paired"
  package static let errors: [RPCError] = [.keyUnavailable]
  package static let parameters = Shape(AccountList.init)
  package static let example = Example(AccountList(), Answer(accounts: [Samples.account]))

  package struct Answer: ControlObject {
    package let accounts: [Account]

    package init(accounts: [Account]) { self.accounts = accounts }

    package static let shape = Shape(
      Answer.init(accounts:),
      .required("accounts", \.accounts, "the caller's accounts")
    )
  }

  package init() {}
}
