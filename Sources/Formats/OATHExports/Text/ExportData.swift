internal import JSON
internal import Text

/// The data of an export: JSON, other text, or binary.
enum ExportData: Sendable {
  case json(JSON)
  case text(String)
  case binary([UInt8])

  init(_ bytes: [UInt8]) throws(ExportError) {
    let bytes = Self.unmarked(bytes)
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      self = .binary(bytes)
      return
    }
    let first = bytes.first { !Self.whitespace.contains($0) }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      self = .text(text)
      return
    }
    // FreeOTP writes each byte of a secret as a number.
    do { self = .json(try JSON(parsing: bytes, maximumValues: bytes.count)) } catch { throw .malformed }
  }

  private static let whitespace = Array(" \t\r\n".utf8)

  /// Returns the data without a byte order mark; converts UTF-16 to UTF-8.
  private static func unmarked(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
    let isLittle = bytes.starts(with: [0xFF, 0xFE])
    guard isLittle || bytes.starts(with: [0xFE, 0xFF]), bytes.count.isMultiple(of: 2) else { return bytes }
    let units = stride(from: 2, to: bytes.count, by: 2).map { place in
      let (one, two) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
      return isLittle ? two << 8 | one : one << 8 | two
    }
    return String(validating: units, as: UTF16.self).map { Array($0.utf8) } ?? bytes
  }

  /// The value of JSON data; `nil` for other data.
  var json: JSON? {
    if case .json(let value) = self { value } else { nil }
  }

  /// The bare, non-empty lines of text that is not JSON; `nil` for other data.
  var lines: [Substring]? {
    guard case .text(let text) = self else { return nil }
    return text.split(whereSeparator: \.isNewline).map(Self.line).filter { !$0.isEmpty }
  }

  /// True if the first non-empty line is a URI of this scheme.
  func begins(withScheme scheme: String) -> Bool {
    guard case .text(let text) = self else { return false }
    return Self.line(Substring(text).bare.prefix { !$0.isNewline }).isURI(of: scheme)
  }

  /// Returns a line without the prefix that zbarimg writes in front of a code.
  private static func line(_ text: Substring) -> Substring {
    let (line, prefix) = (text.bare, "QR-Code:")
    return line.hasPrefix(prefix) ? line.dropFirst(prefix.count).bare : line
  }
}

extension Substring {
  /// The text without white space and byte order marks at both ends.
  var bare: Substring { trimmed { $0.isWhitespace || $0 == "\u{FEFF}" } }

  func isURI(of scheme: String) -> Bool { prefix(scheme.count + 3).lowercased() == scheme + "://" }
}
