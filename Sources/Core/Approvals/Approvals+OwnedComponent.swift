internal import EventLoop
public import Glibc
public import Time
public import Vault

extension Approvals: OwnedComponent {
  /// The tables of requests.
  ///
  /// `seen` is independent of `approval`: it keeps a request's id until the server cannot send the request
  /// again. Thus a repeated request is refused even after the removal of the account or the end of retention.
  ///
  /// The seal of `content` covers all columns that never change. `decision` is sealed, and `guard_seal` is a
  /// copy of it under the guard key.
  public nonisolated static let schema: StaticString = """
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
      decision BLOB,
      guard_seal BLOB,
      UNIQUE (approver, source, foreign_id)
    ) STRICT;
    CREATE INDEX approval_owner ON approval (owner, sequence);
    CREATE INDEX approval_state ON approval (owner, state, sequence);
    CREATE INDEX approval_open ON approval (state) WHERE state IN ('pending', 'sending');
    CREATE INDEX approval_account ON approval (account);
    -- Finds old requests without a scan of all requests.
    CREATE INDEX approval_settled ON approval (received_at) WHERE state NOT IN ('pending', 'sending');

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

  public nonisolated static let restoration = RestorationRules(
    later: [
      "INSERT OR REPLACE INTO seen SELECT * FROM live.seen WHERE owner IN (SELECT uid FROM owner)",
      """
      INSERT OR REPLACE INTO approval SELECT * FROM live.approval
        WHERE owner IN (SELECT uid FROM owner) AND (account IS NULL OR account IN (SELECT id FROM account))
      """,
      """
      UPDATE approval SET state = 'expired'
        WHERE state IN ('pending', 'sending') AND id NOT IN (SELECT id FROM live.approval)
      """,
    ],
    // A decision that was in delivery at the time of the backup may have reached the server since.
    withoutLive: ["UPDATE approval SET state = 'expired' WHERE state IN ('pending', 'sending')"]
  )

  public func usage(of owner: uid_t) throws -> Quota.Usage { try table.usage(of: owner) }

  public func reclaim(from owner: uid_t) throws {
    try table.dropOldestSettled(of: owner, now: core.time.now())
  }

  public func purge(before limit: Timestamp, now: Timestamp) throws -> Bool {
    try table.purge(before: limit, now: now)
  }

  public func guardSecrets(of owner: uid_t) throws { try table.guardDecisions(of: owner) }

  public func forget(_ owner: uid_t) {
    table.forget(owner)
    delivery.forget(owner)
    deadlines.removeAll(of: owner)
  }
}
