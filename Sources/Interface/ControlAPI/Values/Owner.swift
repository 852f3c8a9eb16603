package import Glibc
package import JSON
package import Time

/// Somebody who has something here.
package struct Owner: ControlValue {
  package let uid: uid_t
  /// How many accounts are in force.
  package let accounts: Int
  /// Since when there is something.
  package let createdAt: Timestamp

  package init(uid: uid_t, accounts: Int, createdAt: Timestamp) {
    (self.uid, self.accounts, self.createdAt) = (uid, accounts, createdAt)
  }

  package static let schema = Schema.object([
    .required("uid", .count), .required("accounts", .count, "the accounts that are in force"),
    .required("createdAt", .instant),
  ])

  package var json: JSON {
    ["uid": .int(Int(uid)), "accounts": .int(accounts), "createdAt": .string(createdAt.text)]
  }
}
