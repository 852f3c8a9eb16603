import OpenSSL
import Testing

@testable import PushRelay

/// Encrypts as a sender does, or worse: each piece of a message can be another one.
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

  /// A message of what stands in its record, padding and all.
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

  /// A message with so many zeros of padding.
  func message(_ content: [UInt8], padding: Int = 0) throws -> [UInt8] {
    try message(record: content + [2] + [UInt8](repeating: 0, count: padding))
  }
}
