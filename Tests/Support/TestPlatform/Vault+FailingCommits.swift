internal import EventLoop
internal import SQLite
package import Vault

// SQLite checks a deferred foreign key only at commit, which fails if the referenced row is missing.

extension Vault {
  /// Makes the commit of this loop iteration fail.
  package func breakTurn() throws {
    try write {
      try Self.makePromises($0)
      try $0.run("INSERT INTO promise VALUES (4294967294)")
    }
  }

  /// Makes each commit fail that completes a push or a code or reverts a decision, until `mendCommits()`.
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

  /// Makes each commit fail that changes an owner's identity at a platform, until `mendCommits()`.
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
