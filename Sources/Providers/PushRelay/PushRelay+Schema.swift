/// The table of the keys that open encrypted pushes of relays.
package enum PushRelaySchema {
  package static let schema: StaticString = """
    CREATE TABLE web_push (
      owner INTEGER PRIMARY KEY REFERENCES owner (uid) ON DELETE CASCADE,
      data_key BLOB NOT NULL,
      private_key BLOB NOT NULL,
      auth_secret BLOB NOT NULL
    ) STRICT;
    """
}
