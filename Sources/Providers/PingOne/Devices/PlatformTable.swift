internal import EventLoop
internal import JOSE
internal import JSON
internal import SQLite
internal import Vault
internal import WebAddress

// Rows of `platform_key`.

extension IdentityTable {
  /// What is held of a platform from before, in the order in which it announced them: it is written to by the first.
  func platformKeys(of url: WebURL) throws -> PlatformKeys {
    let rows = try vault.database.rows(
      "SELECT jwk, version FROM platform_key WHERE platform = ? ORDER BY rowid",
      .text(url.text)
    ) { (jwk: $0.text("jwk"), version: $0.int("version")) }
    return PlatformKeys(
      keys: rows.compactMap { row in (try? JSON(parsing: row.jwk)).flatMap { try? JWK($0) } },
      version: rows.map(\.version).max() ?? 0
    )
  }

  func replacePlatformKeys(of url: WebURL, with found: PlatformKeys) throws {
    try vault.write { database in
      try database.run("DELETE FROM platform_key WHERE platform = ?", .text(url.text))
      for key in found.keys {
        try database.run(
          "INSERT INTO platform_key (platform, thumbprint, jwk, version) VALUES (?, ?, ?, ?)",
          .text(url.text),
          .text(key.thumbprint),
          .text(key.json.text),
          SQLValue(found.version)
        )
      }
    }
  }
}
