public import JSONRPC
public import Time

public struct LockSet: ControlMethod {
  public static let name = "lock.set"
  public static let access = AccessClass.admin
  public static let summary = "sets or changes the caller's PIN; a first PIN locks at once"
  public static let errors: [RPCError] = .pin + [.conflict, .presenceRequired]
  public static let parameters = Shape(
    LockSet.init(pin:current:),
    PINParameter.named("pin", \.pin, "the new PIN, at least 6 characters, not a common one"),
    PINParameter.optional("current", \.current, "the current PIN")
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
  public static let summary = "removes the caller's PIN"
  public static let errors: [RPCError] = .pin + [.notFound, .conflict]
  public static let parameters = Shape(
    LockClear.init(current:),
    PINParameter.named("current", \.current, "the current PIN")
  )
  public static var example: Example<Self> { Example(LockClear(current: Samples.pin), Nothing()) }

  public typealias Result = Nothing

  public let current: String

  public init(current: String) { self.current = current }
}

public struct LockNow: ControlMethod {
  public static let name = "lock.now"
  public static let access = AccessClass.read
  public static let summary = "locks the secrets that the caller's PIN protects"
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
  public static let summary =
    "unlocks the caller's secrets for a limited time, which keeps running while the machine is suspended"
  public static let errors: [RPCError] = .pin + [.notFound]
  public static let isWrite = true
  public static let audit: AuditRule<Self>? = AuditRule()
  public static let parameters = Shape(
    LockUnlock.init(pin:seconds:),
    PINParameter.named("pin", \.pin, "the caller's PIN"),
    .optional("seconds", \.seconds, as: .integer(seconds), default: 300, "the duration in seconds")
  )
  public static let envelope: Shape<Timestamp>? = .member("lockedAt", "the time of the next locking")
  public static var example: Example<Self> {
    Example(LockUnlock(pin: Samples.pin), Samples.instant.adding(seconds: 300))
  }

  public static let seconds = 1...86_400

  public let pin: String
  public let seconds: Int

  public init(pin: String, seconds: Int = 300) { (self.pin, self.seconds) = (pin, seconds) }
}
