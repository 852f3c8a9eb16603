internal import EventLoop
public import Glibc
public import Time
public import Vault

extension Pairings: OwnedComponent {
  public nonisolated static let schema: StaticString = """
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
    """

  public nonisolated static let restoration = RestorationRules(later: [
    "INSERT OR REPLACE INTO used_token SELECT * FROM live.used_token WHERE owner IN (SELECT uid FROM owner)",
    "INSERT OR REPLACE INTO payload SELECT * FROM live.payload WHERE owner IN (SELECT uid FROM owner)",
  ])

  public func usage(of owner: uid_t) throws -> Quota.Usage { try core.vault.pairingUsage(of: owner) }

  public func reclaim(from owner: uid_t) {}

  public func purge(before limit: Timestamp, now: Timestamp) throws -> Bool {
    try core.vault.purgePairings(before: limit, now: now)
    return false
  }

  public func guardSecrets(of owner: uid_t) {}

  public func forget(_ owner: uid_t) {}
}
