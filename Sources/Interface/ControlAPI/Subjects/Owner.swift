public import Glibc
public import JSONRPC
public import Time

public struct OwnerList: ControlMethod {
  public static let name = "owner.list"
  public static let access = AccessClass.service
  public static let summary = "lists the owners"
  public static let errors: [RPCError] = [.permissionDenied]
  public static let parameters = Shape(OwnerList.init)
  public static let envelope: Shape<[Owner]>? = .member("owners", "the owners")
  public static var example: Example<Self> {
    Example(
      OwnerList(),
      [Owner(uid: 1000, accounts: 1, createdAt: Samples.instant)]
    )
  }

  public init() {}
}

public struct OwnerErase: ControlMethod {
  public static let name = "owner.erase"
  public static let access = AccessClass.service
  public static let summary = "erases all data of an owner; the platforms are not notified"
  public static let errors: [RPCError] = [.permissionDenied]
  public static let isWrite = true
  public static let audit: AuditRule<Self>? = AuditRule(target: { String($0.uid) })
  public static let parameters = Shape(
    { uid, _ in OwnerErase(uid: uid) },
    .required("uid", \.uid, as: .integer(0...Int(uid_t.max) - 1), "the owner's uid"),
    .confirmation("confirm", "the confirmation of the erasure")
  )
  public static var example: Example<Self> { Example(OwnerErase(uid: 1001), Nothing()) }

  public typealias Result = Nothing

  public let uid: uid_t

  public init(uid: uid_t) { self.uid = uid }
}

/// A user that has data in the service.
public struct Owner: ControlObject {
  public let uid: uid_t
  public let accounts: Int
  public let createdAt: Timestamp

  public init(uid: uid_t, accounts: Int, createdAt: Timestamp) {
    (self.uid, self.accounts, self.createdAt) = (uid, accounts, createdAt)
  }

  public static let shape = Shape(
    Owner.init(uid:accounts:createdAt:),
    .required("uid", \.uid, "the owner's uid"),
    .required("accounts", \.accounts, "the number of active accounts"),
    .required("createdAt", \.createdAt, "the time when the owner was created")
  )
}
