public import Configuration
public import Glibc
internal import SQLite

/// The verified presence of the owner of the current call, which gives access to the owner's guarded secrets.
///
/// The call and the tasks that it starts have the presence; other calls of the owner do not.
public struct VerifiedPresence: Sendable {
  let owner: uid_t
  /// The authentication method, RFC 8176.
  public let method: String
  let key: DataKey

  @TaskLocal public static var current: VerifiedPresence?

  public static func of(_ owner: uid_t) -> VerifiedPresence? {
    current.flatMap { $0.owner == owner ? $0 : nil }
  }
}

extension Vault {
  /// Returns an owner's own presence requirement; nil if not set.
  ///
  /// Needs no key.
  public func requiredPresence(of owner: uid_t) throws -> PresenceRequirement? {
    try requiredPresences.value(of: owner) {
      try database.row("SELECT required FROM presence WHERE owner = ?", SQLValue(owner)) { $0.text(0) }
        .flatMap(PresenceRequirement.init(rawValue:))
    }
  }

  public func setRequiredPresence(_ requirement: PresenceRequirement, of owner: uid_t) throws {
    defer { requiredPresences.forget(owner) }
    try write {
      try $0.run(
        "INSERT OR REPLACE INTO presence (owner, required) VALUES (?, ?)",
        SQLValue(owner),
        .text(requirement.rawValue)
      )
    }
  }
}
