package import JSONRPC

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
