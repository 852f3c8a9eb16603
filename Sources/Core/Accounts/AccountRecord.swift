package import ControlAPI
package import Glibc
package import Time

/// A row of `account`, opened: what every kind of account has.
package struct AccountRecord: Sendable {
  /// How far an account is.
  package enum State: String, Sendable {
    /// The other side set it up; it has not been proven yet.
    case activating
    /// It is in force.
    case active
    /// The other side does not know it any more.
    case revoked

    var shown: Account.State {
      switch self {
      case .activating: .activating
      case .active: .active
      case .revoked: .revoked
      }
    }
  }

  package let id: String
  package let owner: uid_t
  package let kind: Account.Kind
  package let state: State
  package let issuer: String?
  /// What it is called without a nickname.
  package let label: String
  package let nickname: String?
  package let lock: AccountLock?
  package let createdAt: Timestamp

  package var isActive: Bool { state == .active }

  /// The order in which they were made.
  static func isOlder(_ one: AccountRecord, _ other: AccountRecord) -> Bool {
    (one.createdAt, one.id) < (other.createdAt, other.id)
  }
}
