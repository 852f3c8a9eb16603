import SQLite
import TestNetwork
import Testing

@testable import Daemon
@testable import Vault

@Suite("Wrapped keys")
struct WrappedKeysTests {
  @Test("every table with data keys is among those that are wrapped anew")
  func complete() throws {
    let directory = try TestDirectory()
    let database = try Database(path: directory.path + "/mfad.db")
    try database.migrate(Schema.steps)
    let tables = try database.rows(
      """
      SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
      WHERE m.type = 'table' AND c.name LIKE '%data_key%'
      """
    ) { $0.text(0) }
    #expect(tables.count > 5)
    #expect(tables.map { "\($0).data_key" }.sorted() == Schema.wrappedKeys.map { "\($0.label)" }.sorted())
    for table in Schema.wrappedKeys {
      // The statements fit the tables.
      #expect(try database.rows(table.select, .integer(60)) { $0.int(0) }.isEmpty)
      #expect(try database.run(table.update, .blob([1]), .integer(1)) == 0)
    }
  }
}
