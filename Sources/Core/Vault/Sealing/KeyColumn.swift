internal import EventLoop
internal import Glibc
internal import SQLite

/// Where the wrapped data keys of a table lie, so that all of them can be wrapped anew.
package struct KeyColumn: Sendable {
  /// The name in the label that such a key is sealed under.
  let label: StaticString
  private let select: StaticString
  private let update: StaticString

  /// How long a data key is that the key-encryption key wraps itself.
  static let ownFormCount = 60

  /// `select` reads the name of the row in the label, the owner and the key of the rows whose key has a length;
  /// `update` stores a key (1) of the row of that name (2) and owner (3).
  package init(_ label: StaticString, select: StaticString, update: StaticString) {
    (self.label, self.select, self.update) = (label, select, update)
  }

  @EventLoop
  func oldKeys(in vault: Vault) throws -> [(row: String, owner: uid_t, wrapped: [UInt8])] {
    try vault.database.rows(select, SQLValue(Self.ownFormCount)) { row in
      (row.text(0), uid_t(truncatingIfNeeded: row.int(1)), row.blob(2))
    }
  }

  @EventLoop
  func put(_ wrapped: [UInt8], row: String, owner: uid_t, in vault: Vault) throws {
    try vault.write { try $0.run(update, .blob(wrapped), .text(row), SQLValue(owner)) }
  }
}
