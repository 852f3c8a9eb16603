/// The tables of accounts at PingAM servers.
package enum PingAMSchema {
  /// The tables, in which `mechanism` identifies an account among those of its owner.
  ///
  /// It moves with the account, and no other owner learns of it. `am_unread` keeps each message once that came while its
  /// owner was locked.
  package static let schema: StaticString = """
    CREATE TABLE am_account (
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
      is_guarded INTEGER NOT NULL DEFAULT 0,
      UNIQUE (owner, mechanism)
    ) STRICT;

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
}
