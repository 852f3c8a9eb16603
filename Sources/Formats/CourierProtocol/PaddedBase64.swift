/// Base64 with padding (RFC 4648 section 4), for the bodies of messages.
enum PaddedBase64 {
  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let rest = bytes.count - index
      let second = rest > 1 ? bytes[index + 1] : 0
      let third = rest > 2 ? bytes[index + 2] : 0
      text.append(alphabet[Int(bytes[index] >> 2)])
      text.append(alphabet[Int((bytes[index] & 0x03) << 4 | second >> 4)])
      text.append(rest > 1 ? alphabet[Int((second & 0x0F) << 2 | third >> 6)] : padding)
      text.append(rest > 2 ? alphabet[Int(third & 0x3F)] : padding)
      index += 3
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes a text; `nil` unless it is exactly the output of `encode`.
  static func decode(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 4 * 3)
    var (bits, bitCount, digits, paddings): (UInt32, Int, Int, Int) = (0, 0, 0, 0)
    for character in text.utf8 {
      if character == padding {
        paddings += 1
        continue
      }
      let value = values[Int(character)]
      guard paddings == 0, value < 64 else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      digits += 1
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    guard paddings <= 2, (digits + paddings) % 4 == 0, bits & (1 << UInt32(bitCount) - 1) == 0 else {
      return nil
    }
    return bytes
  }

  private static let padding = UInt8(ascii: "=")
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()
}
