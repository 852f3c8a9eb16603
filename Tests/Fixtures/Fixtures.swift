import FoundationEssentials
package import JSON

/// The files of others that tests read, found beside this file.
package enum Fixtures {
  /// Why a fixture cannot be used.
  package enum Failure: Error {
    case missing(String)
    case unexpected(String)
  }

  /// The value of a JSON file, named from the folder of fixtures.
  package static func json(_ name: String) throws -> JSON {
    let folder = "\(#filePath)".dropLast("Fixtures.swift".count)
    guard let data = FileManager.default.contents(atPath: folder + name) else { throw Failure.missing(name) }
    return try JSON(parsing: Array(data))
  }
}

/// The bytes of a hexadecimal text.
package func hexadecimal(_ text: String) throws -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  guard digits.count == text.count, digits.count.isMultiple(of: 2) else {
    throw Fixtures.Failure.unexpected(text)
  }
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
