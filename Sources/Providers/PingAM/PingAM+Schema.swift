package import SQLite

/// The table of PingAM's accounts.
package enum PingAMSchema {
  package static let schema = Migration.sql(
    """
    CREATE TABLE am_account (
      account TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      mechanism TEXT NOT NULL UNIQUE,
      authenticate_url TEXT NOT NULL,
      refresh_url TEXT NOT NULL,
      secret BLOB NOT NULL,
      user BLOB,
      policies TEXT NOT NULL,
      token_told INTEGER NOT NULL DEFAULT 1
    ) STRICT;
    CREATE INDEX am_account_owner ON am_account (owner);
    """
  )
}
