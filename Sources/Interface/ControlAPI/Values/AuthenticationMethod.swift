/// How a person was recognized before they approved, by the names of RFC 8176 section 2.
package enum AuthenticationMethod {
  /// What is said when the caller does not: the person's presence was tested.
  package static let standard = "user"

  /// The names that a caller may give.
  ///
  /// `pin` may only be said when the PIN was given for this very approval.
  package static let names = [
    "face", "fpt", "geo", "hwk", "iris", "kba", "mca", "mfa", "otp", "pwd", "rba", "retina", "sc", "sms",
    "swk",
    "tel", "user", "vbm", "wia",
  ]
}
