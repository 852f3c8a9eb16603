package import AMEnrolments
package import Accounts
package import WebAddress

/// What PingAM adds to an account: a row of `am_account`, opened but for its secret.
package struct AMAccount: Sendable {
  package let account: AccountRecord
  /// What the server knows these pushes by, made here.
  package let mechanism: String
  /// Where pushes are answered.
  package let authenticate: WebURL
  /// Where the server hears of another transport.
  package let refresh: WebURL
  /// The identity's name at the server.
  package let user: String?
  package let policies: AMPolicies
  /// What the server knows the device for pushes by, if it said so.
  package let resource: String?
}
