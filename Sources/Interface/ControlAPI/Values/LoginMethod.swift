/// A way to sign on.
package enum LoginMethod: String, ControlChoice {
  /// The steps of a PingOne sign-on policy.
  case signon
  /// The pages of a DaVinci flow.
  case davinci
  /// The callbacks of a PingAM journey.
  case journey
  /// A browser, which is sent back to this machine.
  case redirect
  /// A browser anywhere, by a code that is typed there, RFC 8628.
  case device
}
