/// Decodes digits of a few bits each into bytes, RFC 4648 section 3.
struct DigitDecoder {
  private static let none: UInt8 = 0xFF

  private let bitsPerDigit: Int
  private let values: [UInt8]

  /// Creates a decoder of these alphabets; in each of them the first digit is 0.
  init(bitsPerDigit: Int, _ alphabets: String...) {
    self.bitsPerDigit = bitsPerDigit
    var values = [UInt8](repeating: Self.none, count: 256)
    for alphabet in alphabets {
      for (value, digit) in alphabet.utf8.enumerated() { values[Int(digit)] = UInt8(value) }
    }
    self.values = values
  }

  /// Returns the bytes, and whether all surplus bits are zero; `nil` if there is another character.
  func decode(_ digits: some Collection<UInt8>) -> (bytes: [UInt8], isExact: Bool)? {
    var bytes: [UInt8] = []
    // The capacity is reserved in advance, because a growing array would leave copies of a secret in memory.
    bytes.reserveCapacity(digits.count * bitsPerDigit / 8)
    var (pending, count): (UInt32, Int) = (0, 0)
    for digit in digits {
      let value = values[Int(digit)]
      guard value != Self.none else { return nil }
      pending = (pending << UInt32(bitsPerDigit) | UInt32(value)) & 0xFFFF
      count += bitsPerDigit
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(count)))
    }
    return (bytes, pending & (1 << UInt32(count) - 1) == 0)
  }
}

/// Encodes bytes as digits of `bitsPerDigit` bits; zero bits complete the last digit.
func digits(of bytes: some Sequence<UInt8>, bitsPerDigit: UInt32, _ alphabet: String) -> String {
  let alphabet = Array(alphabet.utf8)
  var text: [UInt8] = []
  var (pending, count): (UInt32, UInt32) = (0, 0)
  for byte in bytes {
    (pending, count) = ((pending << 8 | UInt32(byte)) & 0xFFFF, count + 8)
    while count >= bitsPerDigit {
      count -= bitsPerDigit
      text.append(alphabet[Int(pending >> count) & (alphabet.count - 1)])
    }
  }
  if count > 0 { text.append(alphabet[Int(pending << (bitsPerDigit - count)) & (alphabet.count - 1)]) }
  return String(decoding: text, as: UTF8.self)
}

/// Returns the text without the padding at its end, and the length of the padding.
func withoutPadding(_ text: some BidirectionalCollection<UInt8>) -> (digits: [UInt8], padding: Int) {
  let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
  return (Array(text.dropLast(padding)), padding)
}
