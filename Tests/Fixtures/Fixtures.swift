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
    try JSON(parsing: try bytes(name))
  }

  /// The bytes of a file, named from the folder of fixtures.
  package static func bytes(_ name: String) throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: folder + name) else { throw Failure.missing(name) }
    return Array(data)
  }

  /// The names of the files in a folder, sorted; a folder that is empty or missing is a failure.
  package static func names(in name: String) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder + name).sorted()
    guard !names.isEmpty else { throw Failure.missing(name) }
    return names
  }

  private static let folder = String("\(#filePath)".dropLast("Fixtures.swift".count))
}

/// The bytes of a hexadecimal text.
package func hexadecimal(_ text: String) throws -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  guard digits.count == text.count, digits.count.isMultiple(of: 2) else {
    throw Fixtures.Failure.unexpected(text)
  }
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
