package import Accounts
package import ControlAPI
internal import Time

/// An account that is a passcode device of a PingOne user: a row of `pingone_totp_account`, opened.
package struct TOTPAccount: Sendable {
  package let account: AccountRecord
  /// Whose sign-on pages take its passcodes, and no others.
  package let issuer: String
  let environment: String
  package let user: User
  /// What PingOne names it by; `nil` until its response to the order came.
  package let device: String?
  /// The devices that there were before it was ordered.
  let others: [String]
  /// When it was ordered, by PingOne's clock.
  let begunAt: Timestamp
}
