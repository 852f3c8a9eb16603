import OpenSSL
import Time

/// The passcodes of one pairing: RFC 6238 with SHA-1 and six digits.
struct PasscodeSecret: Codable, Sendable {
  enum Verdict: Sendable, Equatable {
    /// The passcode of this window, which is within the grace windows.
    case valid(window: Int)
    /// The passcode of a window outside the grace windows: the device's clock is probably wrong.
    case wrongTime
    case wrong
  }

  let bytes: [UInt8]
  let period: Int

  static let byteCount = 20
  /// Maximum clock error in seconds, in either direction, for which a passcode counts as `wrongTime`.
  private static let searchedSeconds = 24 * 3600

  static func random(period: Int) throws(OpenSSLError) -> PasscodeSecret {
    PasscodeSecret(bytes: try randomBytes(byteCount), period: period)
  }

  func window(at now: Timestamp) -> Int { now.seconds / period }

  /// Compares a passcode with the windows around `now`; up to `grace` windows on either side are valid.
  func check(_ passcode: String, at now: Timestamp, grace: Int) throws(OpenSSLError) -> Verdict {
    let current = window(at: now)
    let context = HMACContext(.sha1, key: Secret(copying: bytes))
    // Nearest first: if several windows have the same passcode, the nearest is the most likely.
    for distance in 0...(Self.searchedSeconds / period) {
      for window in distance == 0 ? [current] : [current - distance, current + distance]
      where try context.passcode(window) == passcode {
        return distance <= grace ? .valid(window: window) : .wrongTime
      }
    }
    return .wrong
  }

  var base32: String { Sandbox.base32(bytes) }
}

extension HMACContext {
  /// Returns the passcode of a counter or of a time window, RFC 4226 section 5.3.
  func passcode(_ counter: Int, digits: Int = Application.passcodeDigits) throws(OpenSSLError) -> String {
    let code = try code(for: UInt64(bitPattern: Int64(counter)))
    let offset = Int(code[code.count - 1] & 0x0F)
    let number = code[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
    let text = String(number)
    return String((String(repeating: "0", count: digits) + text).suffix(digits))
  }
}

/// Returns bytes in base32 without padding, RFC 4648 section 6.
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
