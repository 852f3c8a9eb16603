package import SQLite

/// The table of PingAM's accounts, and by what servers know their devices.
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

  package static let resources = Migration.sql("ALTER TABLE am_account ADD COLUMN resource TEXT;")

  /// An id that moves with an account is of its owner: of others' nobody learns.
  package static let mechanismsOfOwners = Migration.sql(
    """
    CREATE TABLE am_account_of_owner (
      account TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      mechanism TEXT NOT NULL,
      authenticate_url TEXT NOT NULL,
      refresh_url TEXT NOT NULL,
      secret BLOB NOT NULL,
      user BLOB,
      policies TEXT NOT NULL,
      token_told INTEGER NOT NULL DEFAULT 1,
      resource TEXT,
      UNIQUE (owner, mechanism)
    ) STRICT;
    INSERT INTO am_account_of_owner
      SELECT account, owner, mechanism, authenticate_url, refresh_url, secret, user, policies, token_told, resource
      FROM am_account;
    DROP TABLE am_account;
    ALTER TABLE am_account_of_owner RENAME TO am_account;
    """
  )

  package static let guardedSecrets = Migration.sql(
    "ALTER TABLE am_account ADD COLUMN is_guarded INTEGER NOT NULL DEFAULT 0;"
  )

  /// What came while its owner was locked, each message once.
  package static let unread = Migration.sql(
    """
    CREATE TABLE am_unread (
      sequence INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      data_key BLOB NOT NULL,
      digest BLOB NOT NULL,
      message BLOB NOT NULL,
      received_at INTEGER NOT NULL,
      UNIQUE (owner, digest)
    ) STRICT;
    """
  )
}
