internal import JSON

/// The data of an export as what it is, whatever the format: text in JSON, other text, or neither.
enum ExportData: Sendable {
  case json(JSON)
  /// Lines that are not blank, without the space around them.
  case lines([Substring])
  case binary([UInt8])

  init(_ bytes: [UInt8]) throws(ExportError) {
    let first = bytes.first { !Self.whitespace.contains($0) }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "["), !bytes.contains(0) {
      do { self = .json(try JSON(parsing: bytes)) } catch { throw .malformed }
    } else if !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) {
      let lines = text.split(whereSeparator: \.isNewline).map { line in
        line.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
      }
      self = .lines(lines.map { Substring(String($0)) }.filter { !$0.isEmpty })
    } else {
      self = .binary(bytes)
    }
  }

  private static let whitespace = Array(" \t\r\n".utf8)

  /// The value, if the data is JSON.
  var json: JSON? {
    if case .json(let value) = self { value } else { nil }
  }

  /// The lines, if the data is text but not JSON.
  var lines: [Substring]? {
    if case .lines(let lines) = self { lines } else { nil }
  }

  /// Whether the first line is a URI of this scheme.
  func begins(withScheme scheme: String) -> Bool {
    lines?.first?.prefix(scheme.count + 3).lowercased() == scheme + "://"
  }
}
