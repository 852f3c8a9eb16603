package import JSONRPC
package import Time

package struct LockUnlock: ControlMethod {
  package static let name = "lock.unlock"
  package static let access = AccessClass.read
  package static let summary = "lets the caller's secrets be used for a while, which sleep does not stretch"
  package static let errors: [RPCError] = .pin + [.notFound]
  package static let isWrite = true
  package static let audit: AuditRule<Self>? = AuditRule()
  package static let parameters = Shape(
    LockUnlock.init(pin:seconds:),
    PINParameter.named("pin", \.pin, "the caller's PIN"),
    .optional("seconds", \.seconds, as: .integer(seconds), default: 300, "how long")
  )
  package static let envelope: Shape<Timestamp>? = .member("lockedAt", "when it is locked again")
  package static var example: Example<Self> {
    Example(LockUnlock(pin: Samples.pin), Samples.instant.adding(seconds: 300))
  }

  package static let seconds = 1...86_400

  package let pin: String
  package let seconds: Int

  package init(pin: String, seconds: Int = 300) { (self.pin, self.seconds) = (pin, seconds) }
}
