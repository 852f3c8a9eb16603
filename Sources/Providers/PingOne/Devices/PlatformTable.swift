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
      "SELECT data_key, key_set FROM platform_key_set WHERE platform = ?",
      .text(url.text)
    ) { $0 }
    guard let row else { return nil }
    let announcement = try vault.sealer.unlessDamaged("platform keys", of: 0) {
      try vault.sealer.dataKey(unwrapping: row.blob("data_key"), Self.label("platform.data_key", url))
        .open(row.blob("key_set"), as: Self.label("platform.key_set", url))
    }
    return announcement.flatMap { try? PlatformKeySet(verifying: $0, held: nil, pinned: pinned) }
  }

  func setPlatformKeys(of url: WebURL, to found: PlatformKeySet) throws {
    let (key, wrapped) = try vault.sealer.makeDataKey(Self.label("platform.data_key", url))
    let sealed = try key.seal(found.announcement, as: Self.label("platform.key_set", url))
    try vault.write {
      try $0.run(
        "INSERT OR REPLACE INTO platform_key_set (platform, data_key, key_set) VALUES (?, ?, ?)",
        .text(url.text),
        .blob(wrapped),
        .blob(sealed)
      )
    }
  }

  /// It belongs to no owner: all of them meet the same platform.
  private static func label(_ name: StaticString, _ url: WebURL) -> SealLabel {
    SealLabel(name, row: url.text, owner: 0)
  }
}
