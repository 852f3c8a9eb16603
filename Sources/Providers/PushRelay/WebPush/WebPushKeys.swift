internal import ControlAPI
internal import JOSE
internal import Journal
internal import OpenSSL
internal import WebAddress

/// The receiver's private key of a Web Push subscription, and the secret that the receiver shares with
/// senders.
struct WebPushKeys: Sendable {
  let privateKey: PrivateKey
  let authSecret: Secret
  /// The public point that senders encrypt messages for.
  let point: [UInt8]

  /// Number of bytes of the authentication secret, RFC 8291 section 3.2.
  static let authSecretCount = 16

  init(privateKey: PrivateKey, authSecret: Secret) throws(WebPushFault) {
    guard let point = privateKey.publicKey.point, authSecret.count == Self.authSecretCount else {
      throw .length
    }
    (self.privateKey, self.authSecret, self.point) = (privateKey, authSecret, point)
  }

  /// Decrypts a message of a sender that has the subscription.
  func open(_ message: EncryptedMessage) throws(WebPushFault) -> [UInt8] {
    let sender: PublicKey
    do throws(OpenSSLError) { sender = try PublicKey(p256Point: message.senderPoint) } catch {
      throw .senderKey
    }
    let key: ContentKey
    do throws(OpenSSLError) { key = try ContentKey(from: inputKey(with: sender), salt: message.salt) } catch {
      throw .notOurs
    }
    return try key.open(ciphertext: message.ciphertext, tag: message.tag)
  }

  /// Returns the input keying material of the content keys (RFC 8291 section 3.4).
  func inputKey(with sender: PublicKey) throws(OpenSSLError) -> Secret {
    let info = Array("WebPush: info".utf8) + [0] + point + (sender.point ?? [])
    return try hkdfKey(from: privateKey.sharedSecret(with: sender), salt: authSecret, info: info, count: 32)
  }
}

/// Key and nonce of the first record of content with the coding aes128gcm (RFC 8188 sections 2.2 and 2.3).
struct ContentKey: Sendable {
  let key: Secret
  let nonce: [UInt8]

  private static let keyCount = 16
  /// The byte that ends the content of the last record and starts its padding.
  private static let delimiter: UInt8 = 2

  init(from inputKey: Secret, salt: [UInt8]) throws(OpenSSLError) {
    let salt = Secret(copying: salt)
    key = try hkdfKey(from: inputKey, salt: salt, info: Self.info("aes128gcm"), count: Self.keyCount)
    nonce = try hkdfKey(from: inputKey, salt: salt, info: Self.info("nonce"), count: AESGCM.nonceByteCount)
      .withBytes { Array($0) }
  }

  /// Returns the content of a single record without its padding.
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

/// A parsed, still encrypted message of a Web Push sender.
///
/// It consists of the header of the content coding aes128gcm (RFC 8188 section 2.1) and exactly one record
/// (RFC 8291 section 4).
struct EncryptedMessage: Sendable {
  let salt: [UInt8]
  /// The public point of the key that the sender generated for this message.
  let senderPoint: [UInt8]
  let ciphertext: [UInt8]
  let tag: [UInt8]

  /// Maximum size of a message in bytes; twice the size that a relay is configured to accept.
  static let maximumCount = 32 * 1024
  private static let saltCount = 16
  private static let pointCount = 65
  private static let headerCount = saltCount + 4 + 1 + pointCount
  /// A record has at least the padding delimiter and the tag.
  private static let minimumCount = headerCount + 1 + AESGCM.tagByteCount

  /// Parses a message without any cryptographic operation.
  init(_ bytes: [UInt8]) throws(WebPushFault) {
    guard (Self.minimumCount...Self.maximumCount).contains(bytes.count) else { throw .length }
    salt = Array(bytes[..<Self.saltCount])
    let recordSize = bytes[Self.saltCount..<(Self.saltCount + 4)].reduce(0) { $0 << 8 | Int($1) }
    guard Int(bytes[Self.saltCount + 4]) == Self.pointCount else { throw .senderKey }
    senderPoint = Array(bytes[(Self.headerCount - Self.pointCount)..<Self.headerCount])
    let record = bytes[Self.headerCount...]
    // The record size must exceed the length of the only record. After a full record, another would follow.
    guard recordSize > record.count else { throw .recordSize }
    (ciphertext, tag) = (
      Array(record.dropLast(AESGCM.tagByteCount)), Array(record.suffix(AESGCM.tagByteCount))
    )
  }
}

/// The reason why a message is not accepted as encrypted for an owner.
enum WebPushFault: String, Error, JournalWord {
  case length, recordSize, senderKey, notOurs, padding
}

extension WebPushKeys {
  static func generate() throws -> WebPushKeys {
    try WebPushKeys(privateKey: .generateP256(), authSecret: .random(count: authSecretCount))
  }

  /// Returns the subscription for senders that push to `address`.
  func subscription(at address: WebURL) -> PushSubscription {
    let authSecret = authSecret.withBytes { Base64URL.encode(Array($0)) }
    return PushSubscription(
      endpoint: address.text,
      keys: PushSubscription.Keys(publicKey: Base64URL.encode(point), authSecret: authSecret)
    )
  }
}
