package import SQLite

extension Accounts {
  /// The key of an account seals what its kind adds and what hangs on it.
  ///
  /// The digest finds the same account again without opening any: it is over what makes an account of its kind that
  /// one.
  package nonisolated static let schema = Migration.sql(
    """
    CREATE TABLE account (
      id TEXT PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('activating', 'active', 'revoked')),
      digest BLOB NOT NULL,
      data_key BLOB NOT NULL,
      issuer BLOB,
      label BLOB NOT NULL,
      nickname BLOB,
      locked_until INTEGER,
      lock_policy TEXT,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX account_in_force ON account (owner, digest) WHERE state = 'active';
    CREATE INDEX account_owner ON account (owner, created_at);

    CREATE TABLE oath (
      account TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      type TEXT NOT NULL CHECK (type IN ('totp', 'hotp')),
      secret BLOB NOT NULL,
      algorithm TEXT NOT NULL,
      digits INTEGER NOT NULL,
      period INTEGER NOT NULL,
      counter INTEGER NOT NULL DEFAULT 0,
      is_weak INTEGER NOT NULL
    ) STRICT;
    """
  )

  /// By what servers know devices, with which a user removes or renames them there, and which removals were begun.
  package nonisolated static let resources = Migration.sql(
    """
    ALTER TABLE oath ADD COLUMN resource TEXT;
    ALTER TABLE account ADD COLUMN removal BLOB;
    """
  )

  /// Which counts are those of a backup, so that later passcodes may have been used.
  package nonisolated static let unsureCounts = Migration.sql(
    "ALTER TABLE oath ADD COLUMN is_count_unsure INTEGER NOT NULL DEFAULT 0;"
  )

  /// So that after a start locks are found without a look at every account.
  package nonisolated static let lockTimes = Migration.sql(
    "CREATE INDEX account_locked ON account (locked_until) WHERE locked_until IS NOT NULL"
  )

  /// Which secrets of passcodes their owner's PIN guards too.
  package nonisolated static let guardedSecrets = Migration.sql(
    "ALTER TABLE oath ADD COLUMN is_guarded INTEGER NOT NULL DEFAULT 0;"
  )
}
