import OpenSSL
import Testing

@testable import PushRelay

/// Encrypts like a sender of Web Push.
///
/// A test can replace each part of the message to make it invalid.
struct WebPushSender {
  let receiver: WebPushKeys
  private let key: PrivateKey
  private let point: [UInt8]
  private let salt = [UInt8](1...16)

  init(to receiver: WebPushKeys) throws {
    self.receiver = receiver
    key = try PrivateKey.generateP256()
    point = try #require(key.publicKey.point)
  }

  /// Encrypts `record`, which includes the delimiter and the padding.
  func message(
    record: [UInt8],
    recordSize: Int? = nil,
    keyIDCount: Int = 65,
    point: [UInt8]? = nil,
    more: [UInt8] = []
  ) throws -> [UInt8] {
    let info = Array("WebPush: info".utf8) + [0] + receiver.point + self.point
    let shared = try key.sharedSecret(with: receiver.privateKey.publicKey)
    let inputKey = try hkdfKey(from: shared, salt: receiver.authSecret, info: info, count: 32)
    let content = try ContentKey(from: inputKey, salt: salt)
    let sealed = try AESGCM.seal(record, key: content.key, nonce: content.nonce, associatedData: [])
    let body = sealed.ciphertext + sealed.tag + more
    let size = withUnsafeBytes(of: UInt32(recordSize ?? 32 * 1024).bigEndian) { Array($0) }
    return salt + size + [UInt8(keyIDCount)] + (point ?? self.point) + body
  }

  /// Encrypts `content` with `padding` zero bytes of padding.
  func message(_ content: [UInt8], padding: Int = 0) throws -> [UInt8] {
    try message(record: content + [2] + [UInt8](repeating: 0, count: padding))
  }
}
