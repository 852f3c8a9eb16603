internal import EventLoop
public import Glibc
public import Time
public import Vault

extension Accounts: OwnedComponent {
  /// The tables of accounts and passcode generators.
  ///
  /// `data_key` seals the values of the account and of the rows that refer to it. `digest` is a keyed digest
  /// of the values that identify an account, so that a lookup needs no decryption. `resource` is the id that
  /// the server has given to the device. `removal` is set before the server is asked to remove the account.
  /// `is_count_unsure` is set if a backup is restored without the current state: passcodes generated after
  /// the backup may have been used.
  public nonisolated static let schema: StaticString = """
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
      created_at INTEGER NOT NULL,
      removal BLOB
    ) STRICT;
    CREATE UNIQUE INDEX account_in_force ON account (owner, digest) WHERE state = 'active';
    CREATE INDEX account_owner ON account (owner, created_at);
    -- Finds locks after a start without a scan of all accounts.
    CREATE INDEX account_locked ON account (locked_until) WHERE locked_until IS NOT NULL;

    CREATE TABLE oath (
      account TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      type TEXT NOT NULL CHECK (type IN ('totp', 'hotp')),
      secret BLOB NOT NULL,
      algorithm TEXT NOT NULL,
      digits INTEGER NOT NULL,
      period INTEGER NOT NULL,
      counter INTEGER NOT NULL DEFAULT 0,
      is_weak INTEGER NOT NULL,
      resource TEXT,
      is_guarded INTEGER NOT NULL DEFAULT 0,
      is_count_unsure INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    """

  public nonisolated static let restoration = RestorationRules(
    later: [
      """
      UPDATE oath SET counter =
        max(counter, coalesce((SELECT counter FROM live.oath AS l WHERE l.account = oath.account), 0))
      """,
      """
      UPDATE oath SET is_count_unsure = (SELECT is_count_unsure FROM live.oath AS l WHERE l.account = oath.account)
        WHERE account IN (SELECT account FROM live.oath)
      """,
      """
      UPDATE account SET (locked_until, lock_policy) =
        (SELECT locked_until, lock_policy FROM live.account AS l WHERE l.id = account.id)
        WHERE id IN (SELECT id FROM live.account)
      """,
    ],
    // Passcodes that were generated after the backup may have been used.
    withoutLive: ["UPDATE oath SET is_count_unsure = 1 WHERE type = 'hotp'"]
  )

  public func usage(of owner: uid_t) throws -> Quota.Usage { try table.usage(of: owner) }

  public func reclaim(from owner: uid_t) {}

  public func purge(before limit: Timestamp, now: Timestamp) -> Bool { false }

  public func guardSecrets(of owner: uid_t) throws { try table.guardSecrets(of: owner) }

  public func forget(_ owner: uid_t) {
    removals.cancelAll(of: owner)
    imports.lane.cancel(owner: owner)
    table.forget(owner)
  }
}
