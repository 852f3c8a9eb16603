internal import EventLoop
internal import SQLite
internal import Vault
internal import WebAddress

// Rows of `platform_key_set`: what platforms announced last, as they signed it. It is sealed, so that whoever can write
// into the file without the key-encryption key makes no platform of their own.

extension IdentityTable {
  /// What a platform announced last, if it is vouched for; a set that is not counts as none.
  func platformKeys(of url: WebURL, pinned: Set<String>) throws -> PlatformKeySet? {
    let row = try vault.database.row(
      "SELECT key_set FROM platform_key_set WHERE platform = ?",
      .text(url.text)
    ) { $0.blob(0) }
    guard let row else { return nil }
    let announcement = try vault.sealer.unlessDamaged("platform keys", of: 0) {
      try vault.sealer.open(row, as: Self.label(url))
    }
    return announcement.flatMap { try? PlatformKeySet(verifying: $0, held: nil, pinned: pinned) }
  }

  func setPlatformKeys(of url: WebURL, to found: PlatformKeySet) throws {
    let sealed = try vault.sealer.seal(found.announcement, as: Self.label(url))
    try vault.write {
      try $0.run(
        "INSERT OR REPLACE INTO platform_key_set (platform, key_set) VALUES (?, ?)",
        .text(url.text),
        .blob(sealed)
      )
    }
  }

  private static func label(_ url: WebURL) -> SealLabel {
    SealLabel("platform.key_set", row: url.text, owner: 0)
  }
}
