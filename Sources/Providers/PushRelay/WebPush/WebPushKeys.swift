internal import OpenSSL

/// What only the receiver of a Web Push subscription has, and the secret that senders are told with its address.
struct WebPushKeys: Sendable {
  let privateKey: PrivateKey
  let authSecret: Secret
  /// The point of the key that messages are encrypted for.
  let point: [UInt8]

  /// RFC 8291 section 3.2.
  static let authSecretCount = 16

  init(privateKey: PrivateKey, authSecret: Secret) throws(WebPushFault) {
    guard let point = privateKey.publicKey.point, authSecret.count == Self.authSecretCount else {
      throw .length
    }
    (self.privateKey, self.authSecret, self.point) = (privateKey, authSecret, point)
  }

  /// What a message says, if somebody encrypted it who was told of the subscription.
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

  /// What the keys of a message's content are derived from (RFC 8291 section 3.4).
  func inputKey(with sender: PublicKey) throws(OpenSSLError) -> Secret {
    let info = Array("WebPush: info".utf8) + [0] + point + (sender.point ?? [])
    return try hkdfKey(from: privateKey.sharedSecret(with: sender), salt: authSecret, info: info, count: 32)
  }
}
