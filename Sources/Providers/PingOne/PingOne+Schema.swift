/// The tables of the device service's accounts.
package enum PingOneSchema {
  /// `platform_key_set` holds the keys of a platform as the platform signed them, sealed.
  package static let schema: StaticString = """
    CREATE TABLE pingone_owner (
      owner INTEGER PRIMARY KEY REFERENCES owner (uid) ON DELETE CASCADE,
      geo TEXT,
      push_allowed INTEGER NOT NULL DEFAULT 1,
      push_provider TEXT NOT NULL DEFAULT 'POLL',
      push_environment TEXT,
      data_key BLOB,
      push_token BLOB
    ) STRICT;

    CREATE TABLE platform_key_set (
      platform TEXT PRIMARY KEY,
      key_set BLOB NOT NULL
    ) STRICT;

    CREATE TABLE identity (
      id TEXT PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      geo TEXT NOT NULL,
      platform TEXT NOT NULL,
      device_id TEXT,
      data_key BLOB NOT NULL,
      key_id TEXT NOT NULL,
      next_key_id TEXT,
      keys_made_at INTEGER NOT NULL,
      issuers TEXT NOT NULL DEFAULT '[]',
      push_registered INTEGER NOT NULL DEFAULT 0,
      cursor TEXT,
      created_at INTEGER NOT NULL,
      UNIQUE (owner, geo)
    ) STRICT;

    CREATE TABLE identity_key (
      key_id TEXT PRIMARY KEY,
      identity TEXT NOT NULL REFERENCES identity (id) ON DELETE CASCADE,
      device_key BLOB NOT NULL,
      answer_key BLOB NOT NULL,
      is_guarded INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX identity_key_identity ON identity_key (identity);

    CREATE TABLE pingone_account (
      account TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      identity TEXT NOT NULL REFERENCES identity (id) ON DELETE CASCADE,
      environment TEXT NOT NULL,
      user BLOB NOT NULL,
      authenticators TEXT NOT NULL,
      platform_pairing TEXT NOT NULL
    ) STRICT;
    CREATE INDEX pingone_account_identity ON pingone_account (identity);

    CREATE TABLE pairing (
      id TEXT PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      identity TEXT NOT NULL REFERENCES identity (id) ON DELETE CASCADE,
      state TEXT NOT NULL CHECK (state IN ('received', 'approved', 'activating')),
      environment TEXT,
      data_key BLOB NOT NULL,
      user BLOB,
      pairing_key BLOB NOT NULL,
      account TEXT REFERENCES account (id) ON DELETE CASCADE,
      expires_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX pairing_owner ON pairing (owner);

    CREATE TABLE payload (
      jti TEXT PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      expires_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX payload_owner ON payload (owner);

    CREATE TABLE used_token (
      digest BLOB PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      expires_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX used_token_owner ON used_token (owner);

    CREATE TABLE cancelled_push (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      identity TEXT NOT NULL REFERENCES identity (id) ON DELETE CASCADE,
      push_id TEXT NOT NULL,
      user_digest BLOB NOT NULL,
      expires_at INTEGER NOT NULL,
      UNIQUE (identity, push_id, user_digest)
    ) STRICT;
    """
}
