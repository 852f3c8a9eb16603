internal import EventLoop
public import Glibc
public import Time
public import Vault

extension Devices: OwnedComponent {
  /// A row of `platform_key_set` contains the signed key set of one platform, sealed.
  public nonisolated static let schema: StaticString = """
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
    """

  /// A restore keeps the live device keys, because the platform knows only the keys that it received last.
  public nonisolated static let restoration = RestorationRules(later: [
    """
    UPDATE identity SET (key_id, next_key_id, keys_made_at, push_registered, cursor) =
      (SELECT key_id, next_key_id, keys_made_at, push_registered, cursor FROM live.identity AS l
        WHERE l.id = identity.id)
      WHERE id IN (SELECT id FROM live.identity)
    """,
    """
    DELETE FROM identity_key
      WHERE identity IN (SELECT id FROM live.identity) AND key_id NOT IN (SELECT key_id FROM live.identity_key)
    """,
    "INSERT OR REPLACE INTO identity_key SELECT * FROM live.identity_key WHERE identity IN (SELECT id FROM identity)",
  ])

  public func usage(of owner: uid_t) -> Quota.Usage { .none }

  public func reclaim(from owner: uid_t) {}

  public func purge(before limit: Timestamp, now: Timestamp) -> Bool { false }

  public func guardSecrets(of owner: uid_t) throws { try table.guardAnswerKeys(of: owner) }

  public func forget(_ owner: uid_t) {
    trusting.cancelAll(of: owner)
    rotations.cancelAll(of: owner)
    openKeys.removeAll(of: owner)
    table.forget(owner)
  }
}
