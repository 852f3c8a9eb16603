internal import OpenSSL

/// The ids that things get here.
package enum OpaqueID {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
  )

  /// 96 random bits in base64url, which no command can take for an option.
  package static func make() throws -> String {
    while true {
      let digits = try randomBytes(16).map { alphabet[Int($0 & 63)] }
      if digits.first != UInt8(ascii: "-") { return String(decoding: digits, as: UTF8.self) }
    }
  }
}
