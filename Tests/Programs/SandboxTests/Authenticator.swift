import OpenSSL
import Testing
import Time

/// An authenticator app with one secret: RFC 6238 with SHA-1, six digits and 30 seconds.
struct Authenticator: Sendable {
  let secret: [UInt8]

  init(secret: [UInt8]) { self.secret = secret }

  init?(base32 text: String) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var (bits, buffer) = (0, 0)
    var bytes: [UInt8] = []
    for character in text {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      buffer = buffer << 5 | value
      bits += 5
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
        buffer &= (1 << bits) - 1
      }
    }
    secret = bytes
  }

  var currentWindow: Int { TimeSource.system.now().seconds / 30 }

  func passcode(ofWindow window: Int) throws -> String {
    let counter = (0..<8).map { UInt8(truncatingIfNeeded: window >> (56 - 8 * $0)) }
    let mac = try HMACContext(.sha1, key: Secret(copying: secret)).code(for: counter)
    let offset = Int(mac[19] & 15)
    let number = mac[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
    return String(String(1_000_000 + number % 1_000_000).dropFirst())
  }

  /// A passcode that is not valid at any time near now.
  func wrongPasscode() throws -> String {
    let taken = try Set((-3000...3000).map { try passcode(ofWindow: currentWindow + $0) })
    return try #require(
      (0..<1_000_000).lazy.map { String(String(1_000_000 + $0).dropFirst()) }.first { !taken.contains($0) }
    )
  }
}
