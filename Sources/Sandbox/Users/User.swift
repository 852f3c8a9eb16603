import JSON
import Time

/// Somebody who signs on.
struct User: Stored {
  let id: ID<User>
  let username: String
  let password: String?
  let email: String?
  let given: String?
  let family: String?
  var mfaEnabled: Bool
  let createdAt: Timestamp
  var updatedAt: Timestamp
  /// Failed attempts in a row.
  var failures = 0
  var lock: UserLock?
  /// The devices that come first, in this order, before those that it does not name; `nil` without any order.
  var deviceOrder: [ID<MobileDevice>]? = []

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
