internal import EventLoop
internal import SQLite
package import Vault

// A reference to nobody is only looked at when its turn is committed, which then fails.

extension Vault {
  /// Has this turn of the loop end with a commit that fails.
  package func breakTurn() throws {
    try write {
      try Self.makePromises($0)
      try $0.run("INSERT INTO promise VALUES (4294967294)")
    }
  }

  /// Has each commit fail that settles a push or a code or takes a decision back, until they are mended.
  package func failCommitsOfEnds() throws {
    try failCommits {
      try $0.run(
        """
        CREATE TRIGGER failing AFTER UPDATE OF state ON approval WHEN NEW.state <> 'sending'
        BEGIN INSERT INTO promise VALUES (4294967294); END
        """
      )
    }
  }

  /// Has each commit fail that changes what an owner is to a platform, until they are mended.
  package func failCommitsOfIdentities() throws {
    try failCommits {
      try $0.run(
        """
        CREATE TRIGGER failing AFTER UPDATE ON identity
        BEGIN INSERT INTO promise VALUES (4294967294); END
        """
      )
    }
  }

  package func mendCommits() throws {
    try write { try $0.run("DROP TRIGGER failing") }
    try commit()
  }

  private func failCommits(_ trigger: (Database) throws -> Void) throws {
    try write {
      try Self.makePromises($0)
      try trigger($0)
    }
    try commit()
  }

  private static func makePromises(_ database: Database) throws {
    try database.run(
      """
      CREATE TABLE IF NOT EXISTS promise (
        owner INTEGER REFERENCES owner (uid) DEFERRABLE INITIALLY DEFERRED
      ) STRICT
      """
    )
  }
}
