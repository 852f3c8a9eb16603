package import SQLite

// Every row belongs to a uid; what is secret or personal is sealed by the data key of its row or its parent. Times are
// milliseconds since the Unix epoch.

extension Vault {
  /// What every owner has, whatever kinds of accounts there are.
  package nonisolated static let schema = Migration.sql(
    """
    CREATE TABLE meta (
      name TEXT PRIMARY KEY,
      value BLOB NOT NULL
    ) STRICT;

    CREATE TABLE owner (
      uid INTEGER PRIMARY KEY,
      keep_on_reinstall INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE audit (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      owner INTEGER NOT NULL,
      at INTEGER NOT NULL,
      method TEXT NOT NULL,
      target TEXT,
      outcome TEXT NOT NULL
    ) STRICT;
    CREATE INDEX audit_owner ON audit (owner, sequence);
    """
  )
}
