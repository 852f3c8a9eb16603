internal import Accounts
internal import Approvals
internal import DeviceBinding
internal import PingAM
internal import PingOne
internal import PushRelay
package import SQLite
internal import SelfService
internal import SignOn
internal import Vault

/// The tables of the daemon's database.
package enum DaemonSchema {
  /// The layout before the first release: a change of a table changes its statement and raises the number.
  ///
  /// From the first release on, a change is a step from one layout to the next.
  package static let current = DatabaseSchema(
    version: 1,
    [
      Vault.schema, Accounts.schema, Approvals.schema, PingOneSchema.schema, Sessions.schema,
      SelfServiceSchema.schema, PingAMSchema.schema, PushRelaySchema.schema, DeviceBindingSchema.schema,
    ]
  )
}

extension DaemonSchema {
  /// What a backup's state takes over from the state that it replaces; a table that remembers uses, answers or keys
  /// that were changed has its line here.
  static let restoring = Restoration.Rules(
    later: counters + memory + pushes + identities + sessions,
    withoutLive: [
      // An answer that was on its way then may have been given long since.
      "UPDATE approval SET state = 'expired' WHERE state IN ('pending', 'sending')",
      // Passcodes may have been used since.
      "UPDATE oath SET is_count_unsure = 1 WHERE type = 'hotp'",
    ]
  )

  private static let counters: [StaticString] = [
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
  ]

  /// What is not taken twice.
  private static let memory: [StaticString] = [
    "INSERT OR REPLACE INTO used_token SELECT * FROM live.used_token WHERE owner IN (SELECT uid FROM owner)",
    "INSERT OR REPLACE INTO payload SELECT * FROM live.payload WHERE owner IN (SELECT uid FROM owner)",
    "INSERT OR REPLACE INTO seen SELECT * FROM live.seen WHERE owner IN (SELECT uid FROM owner)",
    """
    INSERT OR IGNORE INTO cancelled_push (identity, push_id, user_digest, expires_at)
      SELECT identity, push_id, user_digest, expires_at FROM live.cancelled_push
      WHERE identity IN (SELECT id FROM identity)
    """,
  ]

  private static let pushes: [StaticString] = [
    """
    INSERT OR REPLACE INTO approval SELECT * FROM live.approval
      WHERE owner IN (SELECT uid FROM owner) AND (account IS NULL OR account IN (SELECT id FROM account))
    """,
    """
    UPDATE approval SET state = 'expired'
      WHERE state IN ('pending', 'sending') AND id NOT IN (SELECT id FROM live.approval)
    """,
    // What was read since is not read again, and nobody unlocks what is unread without a PIN.
    "DELETE FROM am_unread",
    "INSERT INTO am_unread SELECT * FROM live.am_unread WHERE owner IN (SELECT uid FROM owner)",
  ]

  /// A platform knows the keys that it was told last.
  private static let identities: [StaticString] = [
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
  ]

  /// What was ended stays ended, and tokens are used once.
  private static let sessions: [StaticString] = [
    "DELETE FROM session WHERE id NOT IN (SELECT id FROM live.session)",
    "INSERT OR REPLACE INTO session SELECT * FROM live.session WHERE id IN (SELECT id FROM session)",
  ]
}
