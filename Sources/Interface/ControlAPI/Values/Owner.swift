package import Glibc
package import Time

/// Somebody who has something here.
package struct Owner: ControlObject {
  package let uid: uid_t
  package let accounts: Int
  package let createdAt: Timestamp

  package init(uid: uid_t, accounts: Int, createdAt: Timestamp) {
    (self.uid, self.accounts, self.createdAt) = (uid, accounts, createdAt)
  }

  package static let shape = Shape(
    Owner.init(uid:accounts:createdAt:),
    .required("uid", \.uid, "the user"),
    .required("accounts", \.accounts, "the accounts that are in force"),
    .required("createdAt", \.createdAt, "since when there is something")
  )
}
