package import Glibc
package import JSONRPC
package import Time

package struct OwnerList: ControlMethod {
  package static let name = "owner.list"
  package static let access = AccessClass.service
  package static let summary = "lists everybody who has something here"
  package static let errors: [RPCError] = [.permissionDenied]
  package static let parameters = Shape(OwnerList.init)
  package static let envelope: Shape<[Owner]>? = .member("owners", "the owners")
  package static var example: Example<Self> {
    Example(
      OwnerList(),
      [Owner(uid: 1000, accounts: 1, createdAt: Samples.instant)]
    )
  }

  package init() {}
}

package struct OwnerErase: ControlMethod {
  package static let name = "owner.erase"
  package static let access = AccessClass.service
  package static let summary = "erases everything of an owner; the platforms hear nothing of it"
  package static let errors: [RPCError] = [.permissionDenied]
  package static let isWrite = true
  package static let audit: AuditRule<Self>? = AuditRule(target: { String($0.uid) })
  package static let parameters = Shape(
    { uid, _ in OwnerErase(uid: uid) },
    .required("uid", \.uid, as: .integer(0...Int(uid_t.max) - 1), "the owner"),
    .confirmation("confirm", "that this is meant")
  )
  package static var example: Example<Self> { Example(OwnerErase(uid: 1001), Nothing()) }

  package typealias Result = Nothing

  package let uid: uid_t

  package init(uid: uid_t) { self.uid = uid }
}

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
