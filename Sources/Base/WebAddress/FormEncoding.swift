internal import Text

/// The encoding of a query or form, `application/x-www-form-urlencoded`.
public enum FormEncoding {
  /// Returns the parameters as text; encodes every byte except the unreserved ones of RFC 3986.
  public static func encode(_ parameters: [(String, String)]) -> String {
    parameters.map { "\(encode($0.0))=\(encode($0.1))" }.joined(separator: "&")
  }

  /// Returns the text with every byte encoded except the unreserved ones of RFC 3986.
  public static func encode(_ text: String) -> String {
    var result: [UInt8] = []
    for byte in text.utf8 {
      if byte.isASCIILetterOrDigit || "-._~".utf8.contains(byte) {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns the parameters of a query or form; `nil` for an invalid escape or invalid UTF-8.
  public static func decode(_ text: some StringProtocol) -> [(String, String)]? {
    var parameters: [(String, String)] = []
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decodeText(parts[0]), let value = decodeText(parts.count > 1 ? parts[1] : "") else {
        return nil
      }
      parameters.append((name, value))
    }
    return parameters
  }

  /// Returns the parameters of a query or form; `nil` also if a name is repeated (RFC 6749 section 3.1).
  public static func decodeUnique(_ text: some StringProtocol) -> [(String, String)]? {
    guard let parameters = decode(text), Set(parameters.map(\.0)).count == parameters.count else {
      return nil
    }
    return parameters
  }

  private static let hexadecimal = Array("0123456789ABCDEF".utf8)

  /// Decodes the percent escapes of a URI component, in which a plus sign is literal.
  ///
  /// Returns `nil` for an invalid escape or invalid UTF-8.
  public static func decodePercent(_ text: some StringProtocol) -> String? { decodeText(text, plus: 0x2B) }

  private static func decodeText(_ text: some StringProtocol, plus: UInt8 = 0x20) -> String? {
    var bytes: [UInt8] = []
    var iterator = text.utf8.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(plus)
      case UInt8(ascii: "%"):
        guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit) else {
          return nil
        }
        bytes.append(high << 4 | low)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
  }
}
