internal import ControlAPI
internal import JOSE
internal import JSONRPC
package import OpenSSL

/// The two keys that make a device: one for what it asks, one for what its owner decides.
package struct IdentityKeys: Sendable {
  /// Proves that a request comes from this device.
  package let device: PrivateKey
  /// Signs what the owner decides; not to be had while the owner is locked.
  private let openAnswer: PrivateKey?
  /// What the platform knows the device key by, its RFC 7638 thumbprint.
  package let deviceThumbprint: String

  package init(device: PrivateKey, answer: PrivateKey?) {
    (self.device, openAnswer) = (device, answer)
    deviceThumbprint = JWK(device.publicKey).thumbprint
  }

  package var answer: PrivateKey {
    get throws(RPCError) {
      guard let openAnswer else { throw .locked }
      return openAnswer
    }
  }

  var hasAnswer: Bool { openAnswer != nil }

  static func generate() throws -> IdentityKeys {
    IdentityKeys(device: try PrivateKey.generateP256(), answer: try PrivateKey.generateP256())
  }
}
