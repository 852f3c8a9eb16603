package import JSON
package import JSONRPC

/// Lists the accounts that are paired.
package struct AccountList: ControlMethod {
  package static let name = "account.list"
  package static let access = AccessClass.read
  package static let summary = "lists the accounts that are paired"
  package static let parameters: [Property] = []

  package struct Answer: ControlValue {
    package static let schema = Schema.object([.required("accounts", .array(Account.schema))])

    package let accounts: [Account]

    package var json: JSON { ["accounts": .array(accounts.map(\.json))] }

    package init(accounts: [Account]) { self.accounts = accounts }
  }

  package init(_ parameters: Parameters) throws(RPCError) {
  }
}
