internal import JSON

/// The data of an export as what it is, whatever the format: text in JSON, other text, or neither.
enum ExportData: Sendable {
  case json(JSON)
  case text(String)
  case binary([UInt8])

  init(_ bytes: [UInt8]) throws(ExportError) {
    let first = bytes.first { !Self.whitespace.contains($0) }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "["), !bytes.contains(0) {
      do { self = .json(try JSON(parsing: bytes)) } catch { throw .malformed }
    } else if !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) {
      self = .text(text)
    } else {
      self = .binary(bytes)
    }
  }

  private static let whitespace = Array(" \t\r\n".utf8)

  /// The value, if the data is JSON.
  var json: JSON? {
    if case .json(let value) = self { value } else { nil }
  }

  /// The lines that are not blank, without the space around them, if the data is text but not JSON.
  var lines: [Substring]? {
    guard case .text(let text) = self else { return nil }
    return text.split(whereSeparator: \.isNewline).compactMap { line in
      guard let first = line.firstIndex(where: { !$0.isWhitespace }),
        let last = line.lastIndex(where: { !$0.isWhitespace })
      else { return nil }
      return line[first...last]
    }
  }

  /// Whether the first line that is not blank is a URI of this scheme; the others are not looked at.
  func begins(withScheme scheme: String) -> Bool {
    guard case .text(let text) = self else { return false }
    return text.drop(while: \.isWhitespace).prefix(scheme.count + 3).lowercased() == scheme + "://"
  }
}
