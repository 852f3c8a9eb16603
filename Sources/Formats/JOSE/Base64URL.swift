/// Base64url without padding, RFC 7515 section 2: each text has one meaning and each meaning one text.
package enum Base64URL {
  /// The text of the bytes.
  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    // One copy is cheaper than asking a collection of unknown type for byte after byte.
    append(Array(bytes), to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text, or none if it has padding, other characters, left-over bits or an impossible length.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(Array(text.utf8)[...]) }

  /// Appends the text of the bytes.
  static func append(_ bytes: some Collection<UInt8>, to text: inout [UInt8]) {
    text.reserveCapacity(text.count + (bytes.count * 4 + 2) / 3)
    let alphabet = alphabet
    var pending = Bits()
    for byte in bytes {
      pending.add(UInt32(byte), count: 8)
      while pending.count >= 6 { text.append(alphabet[pending.take(6)]) }
    }
    if pending.count > 0 {
      pending.add(0, count: 6 - pending.count)
      text.append(alphabet[pending.take(6)])
    }
  }

  /// The bytes of a text.
  package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    // Looked up once: a global costs a check at each use.
    let values = values
    var pending = Bits()
    for character in text {
      let value = values[Int(character)]
      guard value < 64 else { return nil }
      pending.add(UInt32(value), count: 6)
      if pending.count >= 8 { bytes.append(UInt8(pending.take(8))) }
    }
    // Bits that no byte takes must be zero, or several texts would mean the same bytes.
    guard pending.take(pending.count) == 0 else { return nil }
    return bytes
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()
}

/// Bits on their way from groups of one length to groups of another, the first on top; never more than 13.
private struct Bits {
  private var value: UInt32 = 0
  private(set) var count = 0

  mutating func add(_ bits: UInt32, count added: Int) {
    value = value << UInt32(added) | bits
    count += added
  }

  mutating func take(_ taken: Int) -> Int {
    count -= taken
    let bits = value >> UInt32(count)
    value &= 1 << UInt32(count) - 1
    return Int(bits)
  }
}
