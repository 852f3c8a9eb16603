/// The schema, one step a version; a step that has been released is never changed.
enum Migrations {
  static let all: [StaticString] = [version1, version2]

  // Every row belongs to a uid; what is secret or personal is sealed by the data key of its row or its parent.
  // Times are milliseconds since the Unix epoch.
  private static let version1: StaticString = """
    CREATE TABLE meta (
      name TEXT PRIMARY KEY,
      value BLOB NOT NULL
    ) STRICT;

    CREATE TABLE owner (
      uid INTEGER PRIMARY KEY,
      geo TEXT,
      push_allowed INTEGER NOT NULL DEFAULT 1,
      push_provider TEXT NOT NULL DEFAULT 'POLL',
      push_environment TEXT,
      data_key BLOB,
      push_token BLOB,
      keep_on_reinstall INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE platform_key (
      platform TEXT NOT NULL,
      thumbprint TEXT NOT NULL,
      jwk TEXT NOT NULL,
      version INTEGER NOT NULL,
      PRIMARY KEY (platform, thumbprint)
    ) STRICT;

    CREATE TABLE identity (
      id TEXT PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      geo TEXT NOT NULL,
      platform TEXT NOT NULL,
      device_id TEXT,
      data_key BLOB NOT NULL,
      device_key BLOB NOT NULL,
      answer_key BLOB NOT NULL,
      next_device_key BLOB,
      next_answer_key BLOB,
      keys_made_at INTEGER NOT NULL,
      issuers TEXT NOT NULL DEFAULT '[]',
      push_registered INTEGER NOT NULL DEFAULT 0,
      cursor TEXT,
      created_at INTEGER NOT NULL,
      UNIQUE (owner, geo)
    ) STRICT;

    CREATE TABLE account (
      id TEXT PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      identity TEXT NOT NULL REFERENCES identity (id) ON DELETE CASCADE,
      state TEXT NOT NULL CHECK (state IN ('activating', 'active', 'revoked')),
      environment TEXT NOT NULL,
      user_id TEXT NOT NULL,
      user BLOB NOT NULL,
      nickname TEXT,
      authenticators TEXT NOT NULL,
      platform_pairing TEXT NOT NULL,
      data_key BLOB NOT NULL,
      secret BLOB,
      algorithm TEXT,
      digits INTEGER,
      period INTEGER,
      locked_until INTEGER,
      lock_policy TEXT,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX account_in_force ON account (identity, environment, user_id) WHERE state = 'active';
    CREATE INDEX account_owner ON account (owner);

    CREATE TABLE pairing (
      id TEXT PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      identity TEXT NOT NULL REFERENCES identity (id) ON DELETE CASCADE,
      state TEXT NOT NULL CHECK (state IN ('received', 'approved', 'activating')),
      environment TEXT,
      user TEXT,
      data_key BLOB NOT NULL,
      pairing_key BLOB NOT NULL,
      account TEXT REFERENCES account (id) ON DELETE CASCADE,
      expires_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX pairing_owner ON pairing (owner);

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

    CREATE TABLE payload (
      jti TEXT PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      expires_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE used_token (
      digest BLOB PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      expires_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE notification (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      identity TEXT NOT NULL REFERENCES identity (id) ON DELETE CASCADE,
      account TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
      push_id TEXT NOT NULL,
      kind TEXT NOT NULL,
      state TEXT NOT NULL
        CHECK (state IN ('pending', 'sending', 'approved', 'denied', 'expired', 'cancelled')),
      content BLOB NOT NULL,
      number_matching TEXT,
      timeout INTEGER NOT NULL,
      received_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      decision TEXT,
      method TEXT,
      number INTEGER,
      reason TEXT,
      decided_at INTEGER,
      UNIQUE (identity, push_id)
    ) STRICT;
    CREATE INDEX notification_owner ON notification (owner, state, sequence);

    CREATE TABLE cancelled_push (
      identity TEXT NOT NULL REFERENCES identity (id) ON DELETE CASCADE,
      push_id TEXT NOT NULL,
      user_id TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      PRIMARY KEY (identity, push_id, user_id)
    ) STRICT;

    CREATE TABLE authentication (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      identity TEXT NOT NULL REFERENCES identity (id) ON DELETE CASCADE,
      request_id TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('CLAIMED', 'EXPIRED', 'DENIED', 'COMPLETED')),
      data_key BLOB NOT NULL,
      content BLOB NOT NULL,
      decision TEXT,
      decision_user TEXT,
      expires_at INTEGER NOT NULL,
      UNIQUE (identity, request_id)
    ) STRICT;
    CREATE INDEX authentication_owner ON authentication (owner, sequence);
    """

  // What sign-ons left: tokens of a user, or without one what the next sign-on at the same place begins with.
  private static let version2: StaticString = """
    CREATE TABLE session (
      id TEXT PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      data_key BLOB NOT NULL,
      content BLOB NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (owner, issuer, subject)
    ) STRICT;
    """
}
