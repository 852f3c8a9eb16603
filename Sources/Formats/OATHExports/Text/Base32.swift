/// Base32 as shared secrets are written with it, RFC 4648 section 6.
package enum Base32 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// The bytes of a text in either case, with or without padding; `nil` if it is not Base32.
  package static func decode(_ text: String) -> [UInt8]? {
    // Only ASCII is put into upper case: a sharp s would become two digits.
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let digits = Array(text.uppercased().utf8)
    let count = digits.lastIndex { $0 != UInt8(ascii: "=") }.map { $0 + 1 } ?? 0
    // Lengths that no whole number of bytes has.
    guard digits.count - count <= 6, ![1, 3, 6].contains(count % 8) else { return nil }
    var bytes: [UInt8] = []
    var buffer: UInt32 = 0
    var bits = 0
    for digit in digits[..<count] {
      guard let value = alphabet.firstIndex(of: digit) else { return nil }
      buffer = (buffer << 5 | UInt32(value)) & 0xFFFF
      bits += 5
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
    }
    // What is left over must be nothing, so that a secret has one form.
    return buffer & (1 << UInt32(bits) - 1) == 0 ? bytes : nil
  }
}
