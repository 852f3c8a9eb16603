internal import Text

/// A pairing key as PingOne makes them: 14 or 18 characters of 0–9 and A–Z, the first two for the geography.
package struct PairingKey: Sendable {
  /// The key without spaces and hyphens, in upper case.
  package let text: String

  /// Reads a key as somebody typed it; `nil` if it cannot be one.
  package init?(_ typed: String) {
    let bare = typed.filter { !$0.isWhitespace && $0 != "-" }
    guard bare.utf8.count == 14 || bare.utf8.count == 18, bare.allSatisfy(\.isASCII) else { return nil }
    text = bare.uppercased()
    guard text.utf8.allSatisfy(Self.isAllowed) else { return nil }
  }

  static func isAllowed(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }
}
