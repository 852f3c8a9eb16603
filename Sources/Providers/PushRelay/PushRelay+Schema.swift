package import SQLite

/// The table of what relays bring encrypted.
package enum PushRelaySchema {
  package static let schema = Migration.sql(
    """
    CREATE TABLE web_push (
      owner INTEGER PRIMARY KEY REFERENCES owner (uid) ON DELETE CASCADE,
      data_key BLOB NOT NULL,
      private_key BLOB NOT NULL,
      auth_secret BLOB NOT NULL
    ) STRICT;
    """
  )
}
