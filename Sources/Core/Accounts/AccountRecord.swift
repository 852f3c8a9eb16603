public import ControlAPI
public import Glibc
public import JSON
public import Time
public import Vault

/// A row of `account` with its values decrypted: the fields that every kind of account has.
public struct AccountRecord: Sendable {
  /// The progress of an account.
  public enum State: String, Sendable {
    /// The server has created the account, but the pairing is not confirmed yet.
    case activating
    case active
    /// The server does not know the account any more.
    case revoked

    var shown: Account.State {
      switch self {
      case .activating: .activating
      case .active: .active
      case .revoked: .revoked
      }
    }
  }

  public let id: String
  public let owner: uid_t
  public let kind: Account.Kind
  public let state: State
  public let issuer: String?
  /// The name that is shown if there is no nickname.
  public let label: String
  public let nickname: String?
  public let lock: AccountLock?
  public let createdAt: Timestamp

  public var isActive: Bool { state == .active }

  /// Orders accounts by creation time.
  static func isOlder(_ one: AccountRecord, _ other: AccountRecord) -> Bool {
    (one.createdAt, one.id) < (other.createdAt, other.id)
  }
}

// The stored form of users. It is independent of the form in the control API and the forms of servers.

extension User {
  public var stored: JSON {
    var object: JSONObject = ["id": .string(id)]
    object["username"] = username.map { .string($0) }
    object["email"] = email.map { .string($0) }
    object["given"] = name?.given.map { .string($0) }
    object["family"] = name?.family.map { .string($0) }
    return .object(object)
  }

  public init?(stored json: JSON) {
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
  public func seal(_ user: User, as label: SealLabel) throws -> [UInt8] {
    try seal(user.stored.serialized, as: label)
  }

  public func openUser(_ sealed: [UInt8], as label: SealLabel) throws -> User {
    guard let user = User(stored: try JSON(parsing: open(sealed, as: label))) else {
      throw SealingError.damaged
    }
    return user
  }
}
