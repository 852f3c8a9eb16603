package import Glibc
package import JSONRPC

/// Erases everything of an owner.
package struct OwnerErase: ControlMethod {
  package static let name = "owner.erase"
  package static let access = AccessClass.service
  package static let summary = "erases everything of an owner; the platforms hear nothing of it"
  package static let parameters: [Property] = [
    .required("uid", .integer(0...Int(uid_t.max) - 1)),
    .required("confirm", .confirmation),
  ]
  package static let isWrite = true
  package static let audit: AuditRule? = AuditRule(.parameter("uid"))

  package typealias Answer = Nothing

  package let uid: uid_t

  package init(_ parameters: Parameters) throws(RPCError) {
    guard let uid = parameters.optionalInt("uid") else { throw .invalidParameter("uid") }
    self.uid = uid_t(truncatingIfNeeded: uid)
  }
}
