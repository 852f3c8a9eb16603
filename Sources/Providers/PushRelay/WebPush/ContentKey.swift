internal import OpenSSL

/// Key and nonce of the first record of a content under aes128gcm (RFC 8188 sections 2.2 and 2.3).
struct ContentKey: Sendable {
  let key: Secret
  let nonce: [UInt8]

  private static let keyCount = 16
  /// What ends the content of the last record and begins its padding.
  private static let delimiter: UInt8 = 2

  init(from inputKey: Secret, salt: [UInt8]) throws(OpenSSLError) {
    let salt = Secret(copying: salt)
    key = try hkdfKey(from: inputKey, salt: salt, info: Self.info("aes128gcm"), count: Self.keyCount)
    nonce = try hkdfKey(from: inputKey, salt: salt, info: Self.info("nonce"), count: AESGCM.nonceByteCount)
      .withBytes { Array($0) }
  }

  /// The content of a record that is the first and the last, without its padding.
  func open(ciphertext: [UInt8], tag: [UInt8]) throws(WebPushFault) -> [UInt8] {
    let opened: [UInt8]
    do throws(OpenSSLError) {
      opened = try AESGCM.open(ciphertext: ciphertext, tag: tag, key: key, nonce: nonce, associatedData: [])
    } catch { throw .notOurs }
    guard let end = opened.lastIndex(where: { $0 != 0 }), opened[end] == Self.delimiter else {
      throw .padding
    }
    return Array(opened[..<end])
  }

  private static func info(_ purpose: StaticString) -> [UInt8] {
    Array("Content-Encoding: \(purpose)".utf8) + [0]
  }
}
