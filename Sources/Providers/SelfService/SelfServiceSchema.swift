/// The tables of the passcode devices that were made at PingOne by a user's own sign-on.
package enum SelfServiceSchema {
  package static let schema: StaticString = """
    CREATE TABLE pingone_totp_account (
      account TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
      issuer TEXT NOT NULL,
      environment TEXT NOT NULL,
      user BLOB NOT NULL,
      device TEXT,
      others TEXT NOT NULL,
      begun_at INTEGER NOT NULL
    ) STRICT;
    """
}
