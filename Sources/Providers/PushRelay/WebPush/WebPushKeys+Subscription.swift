internal import ControlAPI
internal import JOSE
internal import OpenSSL
internal import WebAddress

extension WebPushKeys {
  static func generate() throws -> WebPushKeys {
    try WebPushKeys(privateKey: .generateP256(), authSecret: .random(count: authSecretCount))
  }

  /// What senders are told, for pushes that are left at an address.
  func subscription(at address: WebURL) -> PushSubscription {
    let authSecret = authSecret.withBytes { Base64URL.encode(Array($0)) }
    return PushSubscription(
      endpoint: address.text,
      keys: PushSubscription.Keys(publicKey: Base64URL.encode(point), authSecret: authSecret)
    )
  }
}
