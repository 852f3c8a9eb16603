package import Configuration
package import Glibc
internal import SQLite

extension Vault {
  /// What an owner wants to be asked for, if they said so; this needs no key.
  package func requiredPresence(of owner: uid_t) throws -> PresenceRequirement? {
    try requiredPresences.value(of: owner) {
      try database.row("SELECT required FROM presence WHERE owner = ?", SQLValue(owner)) { $0.text(0) }
        .flatMap(PresenceRequirement.init(rawValue:))
    }
  }

  package func setRequiredPresence(_ requirement: PresenceRequirement, of owner: uid_t) throws {
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
