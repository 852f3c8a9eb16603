internal import OpenSSL

/// Generates the ids of objects.
public enum OpaqueID {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
  )

  /// Returns 96 random bits in base64url.
  ///
  /// The id never begins with "-", which a command would take for an option.
  public static func make() throws -> String {
    while true {
      let digits = try randomBytes(16).map { alphabet[Int($0 & 63)] }
      if digits.first != UInt8(ascii: "-") { return String(decoding: digits, as: UTF8.self) }
    }
  }
}

extension OpaqueID {
  /// Returns a random UUID in lower case, RFC 9562 section 5.4.
  ///
  /// mfad uses such ids for the mechanisms and keys that it creates for PingAM.
  public static func makeUUID() throws -> String {
    var bytes = try randomBytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = Array("0123456789abcdef")
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append("-") }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return text
  }
}
