import Fixtures
import JSON
import OATHExports
import TestNetwork

/// The output of `Foreign/exports.py`: accounts, and their exports in the formats of other authenticators.
struct ForeignExports: Sendable {
  static let made = Result {
    let script = #filePath.replacing("ForeignExports.swift", with: "Foreign/exports.py")
    return try ForeignExports(JSON(parsing: TestProgram.run([TestProgram.python, script])))
  }

  let password: String
  let accounts: [JSON]
  /// Indices of the accounts that `migration` can represent.
  let heldByMigration: [Int]
  private let exports: JSON

  private init(_ json: JSON) throws {
    guard let password = json["password"]?.string, let accounts = json["accounts"]?.array,
      let held = json["held by migration"]?.array, let exports = json["exports"]
    else { throw Fixtures.Failure.unexpected("another kind of output") }
    (self.password, self.accounts, self.exports) = (password, accounts, exports)
    heldByMigration = held.compactMap(\.int)
  }

  func data(_ name: String) throws -> [UInt8] {
    guard let data = exports[name]?.string.flatMap({ Base64.decode($0) }) else {
      throw Fixtures.Failure.missing(name)
    }
    return data
  }
}
