import FoundationEssentials
package import JSON

/// Third-party files that tests read; they are in the folder of this source file.
package enum Fixtures {
  /// The reason why a fixture cannot be used.
  package enum Failure: Error {
    case missing(String)
    case unexpected(String)
  }

  /// Returns the value of a JSON file; the name is relative to the folder of fixtures.
  package static func json(_ name: String) throws -> JSON {
    try JSON(parsing: try bytes(name))
  }

  /// Returns the bytes of a file; the name is relative to the folder of fixtures.
  package static func bytes(_ name: String) throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: folder + name) else { throw Failure.missing(name) }
    return Array(data)
  }

  /// Returns the sorted names of the files in a folder; throws if the folder is empty or missing.
  package static func names(in name: String) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder + name).sorted()
    guard !names.isEmpty else { throw Failure.missing(name) }
    return names
  }

  private static let folder = String("\(#filePath)".dropLast("Fixtures.swift".count))
}

/// Returns the bytes of a hexadecimal text.
package func hexadecimal(_ text: String) throws -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  guard digits.count == text.count, digits.count.isMultiple(of: 2) else {
    throw Fixtures.Failure.unexpected(text)
  }
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
