package import JSONRPC

package struct LockClear: ControlMethod {
  package static let name = "lock.clear"
  package static let access = AccessClass.admin
  package static let summary = "takes the caller's PIN away"
  package static let errors: [RPCError] = .pin + [.notFound, .conflict]
  package static let parameters = Shape(
    LockClear.init(current:),
    PINParameter.named("current", \.current, "the PIN that there is")
  )
  package static var example: Example<Self> { Example(LockClear(current: Samples.pin), Nothing()) }

  package typealias Result = Nothing

  package let current: String

  package init(current: String) { self.current = current }
}
