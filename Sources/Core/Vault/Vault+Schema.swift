extension Vault {
  /// The tables that are common to all kinds of accounts.
  ///
  /// An owner is a user of this machine; `owner` columns contain the uid. Secret and personal values are
  /// sealed by the data key of their row, or of the row to which it refers. Times are milliseconds since the
  /// Unix epoch. A row of `owner_key` is a slot for a wrapped key: slots are overwritten in place and never
  /// deleted.
  public nonisolated static let schema: StaticString = """
    CREATE TABLE meta (
      name TEXT PRIMARY KEY,
      value BLOB NOT NULL
    ) STRICT;

    CREATE TABLE owner (
      uid INTEGER PRIMARY KEY,
      keep_on_reinstall INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE erased_owner (
      uid INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      erased_at INTEGER NOT NULL,
      PRIMARY KEY (uid, created_at)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE owner_key (
      slot INTEGER PRIMARY KEY,
      key BLOB NOT NULL CHECK (length(key) = 60)
    ) STRICT;

    CREATE TABLE owner_slot (
      owner INTEGER PRIMARY KEY,
      slot INTEGER NOT NULL UNIQUE REFERENCES owner_key (slot)
    ) STRICT;

    CREATE TABLE owner_guard (
      owner INTEGER PRIMARY KEY,
      slot INTEGER NOT NULL UNIQUE REFERENCES owner_key (slot)
    ) STRICT;

    CREATE TABLE pin (
      owner INTEGER PRIMARY KEY REFERENCES owner (uid) ON DELETE CASCADE,
      salt BLOB NOT NULL,
      tries INTEGER NOT NULL,
      version INTEGER NOT NULL,
      seal BLOB NOT NULL
    ) STRICT;

    CREATE TABLE presence (
      owner INTEGER PRIMARY KEY REFERENCES owner (uid) ON DELETE CASCADE,
      required TEXT NOT NULL
    ) STRICT;

    CREATE TABLE audit (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      owner INTEGER NOT NULL,
      at INTEGER NOT NULL,
      method TEXT NOT NULL,
      target TEXT,
      outcome TEXT NOT NULL,
      link BLOB NOT NULL
    ) STRICT;
    CREATE INDEX audit_owner ON audit (owner, sequence);

    CREATE TABLE audit_chain (
      owner INTEGER PRIMARY KEY,
      start INTEGER NOT NULL,
      checkpoint BLOB NOT NULL,
      count INTEGER NOT NULL,
      head BLOB NOT NULL,
      seal BLOB NOT NULL
    ) STRICT;

    CREATE TABLE audit_total (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      start INTEGER NOT NULL,
      count INTEGER NOT NULL,
      seal BLOB NOT NULL
    ) STRICT;

    CREATE TABLE rollback (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      epoch TEXT NOT NULL,
      count INTEGER NOT NULL,
      audit_head INTEGER NOT NULL,
      replaced BLOB,
      seal BLOB NOT NULL
    ) STRICT;
    """
}
