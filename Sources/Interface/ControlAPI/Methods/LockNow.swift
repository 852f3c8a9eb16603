package import JSONRPC

package struct LockNow: ControlMethod {
  package static let name = "lock.now"
  package static let access = AccessClass.read
  package static let summary = "locks what the caller's PIN guards"
  package static let errors: [RPCError] = [.notFound]
  package static let isWrite = true
  package static let audit: AuditRule<Self>? = AuditRule()
  package static let parameters = Shape(LockNow.init)
  package static var example: Example<Self> { Example(LockNow(), Nothing()) }

  package typealias Result = Nothing

  package init() {}
}
