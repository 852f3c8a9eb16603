package import ControlAPI
package import Glibc
package import JSON
package import Time
package import Vault

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

// How users lie in the database, which is not how the interface or a platform writes them.

extension User {
  package var stored: JSON {
    var object: JSONObject = ["id": .string(id)]
    object["username"] = username.map { .string($0) }
    object["email"] = email.map { .string($0) }
    object["given"] = name?.given.map { .string($0) }
    object["family"] = name?.family.map { .string($0) }
    return .object(object)
  }

  package init?(stored json: JSON) {
    guard let id = json["id"]?.string else { return nil }
    self.init(
      id: id,
      username: json["username"]?.string,
      email: json["email"]?.string,
      given: json["given"]?.string,
      family: json["family"]?.string
    )
  }
}

extension DataKey {
  package func seal(_ user: User, as label: SealLabel) throws -> [UInt8] {
    try seal(user.stored.serialized, as: label)
  }

  package func openUser(_ sealed: [UInt8], as label: SealLabel) throws -> User {
    guard let user = User(stored: try JSON(parsing: open(sealed, as: label))) else {
      throw SealingError.damaged
    }
    return user
  }
}
