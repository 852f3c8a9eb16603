package import Glibc
package import JSONRPC

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
