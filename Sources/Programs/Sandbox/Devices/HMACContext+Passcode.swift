import OpenSSL

extension HMACContext {
  /// The passcode of a counter or of a window of time, RFC 4226 section 5.3.
  func passcode(_ counter: Int, digits: Int = Application.passcodeDigits) throws(OpenSSLError) -> String {
    let code = try code(for: UInt64(bitPattern: Int64(counter)))
    let offset = Int(code[code.count - 1] & 0x0F)
    let number = code[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
    let text = String(number)
    return String((String(repeating: "0", count: digits) + text).suffix(digits))
  }
}

/// Bytes in base32 without padding, RFC 4648 section 6.
func base32(_ bytes: [UInt8]) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
  var text = ""
  var (buffer, bits) = (0, 0)
  for byte in bytes {
    buffer = buffer << 8 | Int(byte)
    bits += 8
    while bits >= 5 {
      bits -= 5
      text.append(alphabet[buffer >> bits & 31])
    }
    buffer &= (1 << bits) - 1
  }
  if bits > 0 { text.append(alphabet[buffer << (5 - bits) & 31]) }
  return text
}
