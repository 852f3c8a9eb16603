internal import EventLoop
internal import Glibc
internal import SQLite

/// Data keys that lie in one table, wrapped: how they are found and put back when what wraps them changes.
package struct WrappedKeys: Sendable {
  let label: StaticString
  /// Takes the length of the keys that are looked for; gives the row's number, the id that its label names, its owner
  /// and the wrapped key.
  let select: StaticString
  /// Takes the wrapped key and the row's number.
  let update: StaticString

  /// How long a data key is that the key-encryption key wraps itself.
  static let oldCount = 60

  package init(_ label: StaticString, select: StaticString, update: StaticString) {
    (self.label, self.select, self.update) = (label, select, update)
  }

  struct Row {
    let number: Int
    let id: String
    let owner: uid_t
    let wrapped: [UInt8]
  }

  /// The rows whose key the key-encryption key wraps itself.
  @EventLoop
  func oldRows(in vault: Vault) throws -> [Row] {
    try vault.database.rows(select, SQLValue(Self.oldCount)) { row in
      Row(
        number: row.int(0),
        id: row.text(1),
        owner: uid_t(truncatingIfNeeded: row.int(2)),
        wrapped: row.blob(3)
      )
    }
  }

  /// Stores the key of a row, within a transaction that the caller has opened.
  @EventLoop
  func put(_ wrapped: [UInt8], _ number: Int, in vault: Vault) throws {
    try vault.database.run(update, .blob(wrapped), .integer(Int64(number)))
  }
}
