/// How a person was recognized before they approved, by the names of RFC 8176 section 2.
///
/// All but the standard one only say what was verified for this very approval.
package enum AuthenticationMethod {
  /// What is said when the caller does not: the person's presence was tested.
  package static let standard = "user"

  static let schema = Schema.choice([
    "face", "fpt", "geo", "hwk", "iris", "kba", "mca", "mfa", "otp", "pin", "pwd", "rba", "retina", "sc",
    "sms",
    "swk", "tel", "user", "vbm", "wia",
  ])

  /// The parameter of every method that approves.
  static func parameter<Root: Sendable>(_ get: @escaping @Sendable (Root) -> String) -> Field<Root, String> {
    .optional(
      "authenticationMethod",
      get,
      as: schema,
      default: standard,
      "how the person was recognized, RFC 8176"
    )
  }
}
