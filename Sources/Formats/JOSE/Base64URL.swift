/// Base64url without padding (RFC 7515 section 2); each byte sequence has exactly one valid text.
public enum Base64URL {
  /// Returns the text of the bytes.
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    // A copy is cheaper than iterating over a collection of an unspecialised type.
    append(Array(bytes), to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes a text; `nil` if it has padding, other characters, surplus bits or an impossible length.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(Array(text.utf8)[...]) }

  /// Appends the text of the bytes.
  static func append(_ bytes: some Collection<UInt8>, to text: inout [UInt8]) {
    text.reserveCapacity(text.count + (bytes.count * 4 + 2) / 3)
    let alphabet = alphabet
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(alphabet[Int(bits >> count & 63)])
      }
    }
    if count > 0 { text.append(alphabet[Int(bits << (6 - count) & 63)]) }
  }

  /// Decodes a text given as bytes; `nil` if it is invalid.
  public static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    // The loop uses a local copy, because each access to a global costs a check.
    let values = values
    var bytes = [UInt8](repeating: 0, count: text.count * 3 / 4)
    var (bits, count, end): (UInt32, UInt32, Int) = (0, 0, 0)
    // The bitwise OR of all values. Only an invalid character sets the upper bits.
    var union: UInt8 = 0
    for character in text {
      let value = values[Int(character)]
      union |= value
      bits = bits << 6 | UInt32(value & 63)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes[end] = UInt8(truncatingIfNeeded: bits >> count)
      end += 1
    }
    // Surplus bits must be zero. Otherwise several texts would decode to the same bytes.
    guard union < 64, bits & (1 << count - 1) == 0 else { return nil }
    return bytes
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()
}
