package import SQLite

extension Approvals {
  /// What was seen is remembered apart from the request itself, until the other side could not send it again: neither
  /// its account nor how long requests are kept decides whether it can be asked twice.
  package nonisolated static let schema = Migration.sql(
    """
    CREATE TABLE approval (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      approver TEXT NOT NULL,
      source TEXT NOT NULL,
      foreign_id TEXT NOT NULL,
      account TEXT REFERENCES account (id) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      state TEXT NOT NULL
        CHECK (state IN ('pending', 'sending', 'approved', 'denied', 'expired', 'cancelled')),
      data_key BLOB NOT NULL,
      content BLOB NOT NULL,
      timeout INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      decision TEXT,
      method TEXT,
      number INTEGER,
      reason TEXT,
      user BLOB,
      decided_at INTEGER,
      UNIQUE (approver, source, foreign_id)
    ) STRICT;
    CREATE INDEX approval_owner ON approval (owner, sequence);
    CREATE INDEX approval_state ON approval (owner, state, sequence);
    CREATE INDEX approval_open ON approval (state) WHERE state IN ('pending', 'sending');
    CREATE INDEX approval_account ON approval (account);

    CREATE TABLE seen (
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      approver TEXT NOT NULL,
      source TEXT NOT NULL,
      foreign_id TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      PRIMARY KEY (approver, source, foreign_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX seen_owner ON seen (owner);
    CREATE INDEX seen_end ON seen (expires_at);
    """
  )

  /// So that what is old is found without a look at everything that is not.
  package nonisolated static let settledTimes = Migration.sql(
    "CREATE INDEX approval_settled ON approval (received_at) WHERE state NOT IN ('pending', 'sending')"
  )

  /// Which decisions were made without what the request says; of those of earlier versions it was told of each.
  package nonisolated static let blindDecisions = Migration.sql(
    "ALTER TABLE approval ADD COLUMN is_blind INTEGER NOT NULL DEFAULT 0;"
  )
}
