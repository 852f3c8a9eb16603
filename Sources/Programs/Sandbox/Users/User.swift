import JSON
import Time

/// Somebody who signs on.
struct User: Stored, Codable {
  /// Whether a password can stay as it is.
  enum PasswordStatus: String, CaseIterable, Codable {
    case good = "OK"
    case mustChange = "MUST_CHANGE_PASSWORD"
    case expired = "PASSWORD_EXPIRED"
  }

  let id: ID<User>
  let username: String
  var password: String?
  var email: String?
  var given: String?
  var family: String?
  var mfaEnabled: Bool
  let createdAt: Timestamp
  var updatedAt: Timestamp
  /// Failed attempts in a row.
  var failures = 0
  var lock: UserLock?
  /// The devices that come first, in this order, before those that it does not name; `nil` without any order.
  var deviceOrder: [ID<MobileDevice>]? = []

  var passwordStatus = PasswordStatus.good
  /// Whether the user has shown that messages reach them.
  var isVerified = true

  /// The name in parts; `nil` if no part is known.
  var name: JSON? {
    guard given != nil || family != nil else { return nil }
    return .present([("given", given.map { .string($0) }), ("family", family.map { .string($0) })])
  }

  /// What a device is told about a user.
  var summary: JSON {
    .present([
      ("id", .id(id)), ("username", .string(username)), ("email", email.map { .string($0) }), ("name", name),
    ])
  }
}
