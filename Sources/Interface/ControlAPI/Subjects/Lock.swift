package import JSONRPC
package import Time

package struct LockSet: ControlMethod {
  package static let name = "lock.set"
  package static let access = AccessClass.admin
  package static let summary = "gives the caller a PIN, or another one; a first one locks at once"
  package static let errors: [RPCError] = .pin + [.conflict, .presenceRequired]
  package static let parameters = Shape(
    LockSet.init(pin:current:),
    PINParameter.named("pin", \.pin, "6 characters at least, and not what everybody tries first"),
    PINParameter.optional("current", \.current, "the PIN that there is")
  )
  package static var example: Example<Self> { Example(LockSet(pin: Samples.pin), Nothing()) }

  package typealias Result = Nothing

  package let pin: String
  package let current: String?

  package init(pin: String, current: String? = nil) { (self.pin, self.current) = (pin, current) }
}

/// Parameters that hold a PIN.
enum PINParameter {
  private static let schema = Schema.text(maximum: 128)

  static func named<Root>(
    _ name: String,
    _ get: @escaping @Sendable (Root) -> String,
    _ meaning: String
  ) -> Field<Root, String> {
    .required(name, get, as: schema, meaning)
  }

  static func optional<Root>(
    _ name: String,
    _ get: @escaping @Sendable (Root) -> String?,
    _ meaning: String
  ) -> Field<Root, String?> {
    .optional(name, get, as: schema, meaning)
  }
}

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
