internal import Vault

extension Schema {
  /// Every table whose rows have a data key, for when what wraps it changes.
  static let wrappedKeys: [WrappedKeys] = [
    WrappedKeys(
      "account.data_key",
      select: "SELECT rowid, id, owner, data_key FROM account WHERE length(data_key) = ?",
      update: "UPDATE account SET data_key = ? WHERE rowid = ?"
    ),
    WrappedKeys(
      "approval.data_key",
      select: "SELECT rowid, id, owner, data_key FROM approval WHERE length(data_key) = ?",
      update: "UPDATE approval SET data_key = ? WHERE rowid = ?"
    ),
    WrappedKeys(
      "identity.data_key",
      select: "SELECT rowid, id, owner, data_key FROM identity WHERE length(data_key) = ?",
      update: "UPDATE identity SET data_key = ? WHERE rowid = ?"
    ),
    WrappedKeys(
      "pingone_owner.data_key",
      select: "SELECT rowid, '', owner, data_key FROM pingone_owner WHERE length(data_key) = ?",
      update: "UPDATE pingone_owner SET data_key = ? WHERE rowid = ?"
    ),
    WrappedKeys(
      "pairing.data_key",
      select: "SELECT rowid, id, owner, data_key FROM pairing WHERE length(data_key) = ?",
      update: "UPDATE pairing SET data_key = ? WHERE rowid = ?"
    ),
    WrappedKeys(
      "session.data_key",
      select: "SELECT rowid, id, owner, data_key FROM session WHERE length(data_key) = ?",
      update: "UPDATE session SET data_key = ? WHERE rowid = ?"
    ),
    WrappedKeys(
      "bound_key.data_key",
      select: "SELECT rowid, id, owner, data_key FROM bound_key WHERE length(data_key) = ?",
      update: "UPDATE bound_key SET data_key = ? WHERE rowid = ?"
    ),
    WrappedKeys(
      "am_unread.data_key",
      select: "SELECT rowid, id, owner, data_key FROM am_unread WHERE length(data_key) = ?",
      update: "UPDATE am_unread SET data_key = ? WHERE rowid = ?"
    ),
    WrappedKeys(
      "web_push.data_key",
      select: "SELECT rowid, '', owner, data_key FROM web_push WHERE length(data_key) = ?",
      update: "UPDATE web_push SET data_key = ? WHERE rowid = ?"
    ),
  ]
}
