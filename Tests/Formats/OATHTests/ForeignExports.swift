import Fixtures
import JSON
import OATHExports
import TestNetwork

/// What `Foreign/exports.py` makes: accounts, and the exports that other authenticators would make of them.
struct ForeignExports: Sendable {
  static let made = Result {
    let script = #filePath.replacing("ForeignExports.swift", with: "Foreign/exports.py")
    return try ForeignExports(JSON(parsing: TestProgram.run([TestProgram.python, script])))
  }

  let password: String
  let accounts: [JSON]
  /// The places of those accounts that `migration` can hold.
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
