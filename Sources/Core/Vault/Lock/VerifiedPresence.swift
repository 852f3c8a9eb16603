public import Configuration
public import Glibc
internal import SQLite

/// That the daemon has made sure, for the call that is carried out now, that its owner is there.
///
/// It goes with the call wherever that leads and ends with it; a PIN that was given so opens what it guards for this
/// call alone.
public struct VerifiedPresence: Sendable {
  let owner: uid_t
  /// By what, RFC 8176.
  public let method: String
  let key: DataKey

  @TaskLocal public static var current: VerifiedPresence?

  public static func of(_ owner: uid_t) -> VerifiedPresence? {
    current.flatMap { $0.owner == owner ? $0 : nil }
  }
}

extension Vault {
  /// What an owner wants to be asked for, if they said so; this needs no key.
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
