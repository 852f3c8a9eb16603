package import Configuration

/// How the person who makes a call can be verified.
package struct PresenceClaim: ControlObject, Equatable {
  package enum Method: String, ControlChoice {
    case pin, fingerprint, password
  }

  package let method: Method
  /// With the method `pin`.
  package let pin: String?

  package static func pin(_ pin: String) -> PresenceClaim { PresenceClaim(method: .pin, pin: pin) }

  package static let shape = Shape(
    "Presence",
    PresenceClaim.init(method:pin:),
    .required("method", \.method, "by what"),
    .optional("pin", \.pin, as: .text(maximum: 128), "the PIN, for the method of that name")
  )

  /// The parameter of every method that wants somebody there, or may want that.
  static func parameter<Root: Sendable>(
    _ get: @escaping @Sendable (Root) -> PresenceClaim?
  ) -> Field<Root, PresenceClaim?> {
    .optional("presence", get, "what verifies the person")
  }
}

extension PresenceRequirement: ControlChoice {}
