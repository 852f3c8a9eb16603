/// The table of bound keys.
package enum DeviceBindingSchema {
  package static let schema: StaticString = """
    CREATE TABLE bound_key (
      id TEXT PRIMARY KEY,
      owner INTEGER NOT NULL REFERENCES owner (uid) ON DELETE CASCADE,
      server TEXT NOT NULL,
      data_key BLOB NOT NULL,
      user BLOB NOT NULL,
      user_name BLOB NOT NULL,
      private_key BLOB NOT NULL,
      created_at INTEGER NOT NULL,
      is_accepted INTEGER NOT NULL DEFAULT 0,
      is_guarded INTEGER NOT NULL DEFAULT 0,
      wants_presence INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX bound_key_owner ON bound_key (owner);
    """
}
