public import JSONRPC
public import Time

public struct LockSet: ControlMethod {
  public static let name = "lock.set"
  public static let access = AccessClass.admin
  public static let summary = "gives the caller a PIN, or another one; a first one locks at once"
  public static let errors: [RPCError] = .pin + [.conflict, .presenceRequired]
  public static let parameters = Shape(
    LockSet.init(pin:current:),
    PINParameter.named("pin", \.pin, "6 characters at least, and not what everybody tries first"),
    PINParameter.optional("current", \.current, "the PIN that there is")
  )
  public static var example: Example<Self> { Example(LockSet(pin: Samples.pin), Nothing()) }

  public typealias Result = Nothing

  public let pin: String
  public let current: String?

  public init(pin: String, current: String? = nil) { (self.pin, self.current) = (pin, current) }
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

public struct LockClear: ControlMethod {
  public static let name = "lock.clear"
  public static let access = AccessClass.admin
  public static let summary = "takes the caller's PIN away"
  public static let errors: [RPCError] = .pin + [.notFound, .conflict]
  public static let parameters = Shape(
    LockClear.init(current:),
    PINParameter.named("current", \.current, "the PIN that there is")
  )
  public static var example: Example<Self> { Example(LockClear(current: Samples.pin), Nothing()) }

  public typealias Result = Nothing

  public let current: String

  public init(current: String) { self.current = current }
}

public struct LockNow: ControlMethod {
  public static let name = "lock.now"
  public static let access = AccessClass.read
  public static let summary = "locks what the caller's PIN guards"
  public static let errors: [RPCError] = [.notFound]
  public static let isWrite = true
  public static let audit: AuditRule<Self>? = AuditRule()
  public static let parameters = Shape(LockNow.init)
  public static var example: Example<Self> { Example(LockNow(), Nothing()) }

  public typealias Result = Nothing

  public init() {}
}

public struct LockUnlock: ControlMethod {
  public static let name = "lock.unlock"
  public static let access = AccessClass.read
  public static let summary = "lets the caller's secrets be used for a while, which sleep does not stretch"
  public static let errors: [RPCError] = .pin + [.notFound]
  public static let isWrite = true
  public static let audit: AuditRule<Self>? = AuditRule()
  public static let parameters = Shape(
    LockUnlock.init(pin:seconds:),
    PINParameter.named("pin", \.pin, "the caller's PIN"),
    .optional("seconds", \.seconds, as: .integer(seconds), default: 300, "how long")
  )
  public static let envelope: Shape<Timestamp>? = .member("lockedAt", "when it is locked again")
  public static var example: Example<Self> {
    Example(LockUnlock(pin: Samples.pin), Samples.instant.adding(seconds: 300))
  }

  public static let seconds = 1...86_400

  public let pin: String
  public let seconds: Int

  public init(pin: String, seconds: Int = 300) { (self.pin, self.seconds) = (pin, seconds) }
}
