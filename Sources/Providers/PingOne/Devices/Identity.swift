internal import Approvals
public import Configuration
internal import ControlAPI
public import Glibc
internal import JOSE
internal import JSON
internal import JSONRPC
public import OpenSSL
public import Time
internal import Vault
public import WebAddress

/// A snapshot of an owner's device at the platform of one geography; a device has two keys.
public struct Identity: Sendable, Equatable {
  public let id: String
  public let owner: uid_t
  public let geography: Geography
  /// The base URL of the platform's device service.
  public let url: WebURL
  /// True for the geography that the owner configured.
  ///
  /// Pairing keys of other geographies create further identities.
  public let isPrimary: Bool
  /// The RFC 7638 thumbprint of the device key.
  public let keyID: String
  /// The thumbprint of the new device key during an unconfirmed rotation; `nil` otherwise.
  public let nextKeyID: String?
  public let keysMadeAt: Timestamp
  /// The device ID from the platform; `nil` until trust is established.
  public let deviceID: String?
  /// The issuers that the platform announced.
  public let issuers: [String]
  /// True if the platform knows the current push channel of this device.
  public let isPushRegistered: Bool
  /// The position at which the next poll continues.
  public let cursor: String?

  public var isTrusted: Bool { deviceID != nil }

  var ownedKey: OwnedKey { OwnedKey(id, of: owner) }
}

/// The two keys of a device: one for its requests, one for its owner's decisions.
public struct IdentityKeys: Sendable {
  /// Proves that a request comes from this device.
  public let device: PrivateKey
  /// Signs the owner's decisions; unavailable while the owner is locked.
  private let openAnswer: PrivateKey?
  /// The RFC 7638 thumbprint of the device key, its ID at the platform.
  public let deviceThumbprint: String

  public init(device: PrivateKey, answer: PrivateKey?) {
    (self.device, openAnswer) = (device, answer)
    deviceThumbprint = JWK(device.publicKey).thumbprint
  }

  public var answer: PrivateKey {
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

extension IdentityKeys {
  /// Returns a JWS signed with the answer key.
  func sign(_ claims: JSONObject, type: String) throws -> String {
    try Self.sign(claims, type: type, by: answer)
  }

  /// Returns a JWS for a denial, signed with the device key if the owner is locked, else with the answer key.
  fileprivate func signDenial(_ claims: JSONObject, type: String) throws -> String {
    try Self.sign(claims, type: type, by: hasAnswer ? answer : device)
  }

  private static func sign(_ claims: JSONObject, type: String, by key: PrivateKey) throws -> String {
    try CompactJWS.sign(
      payload: JSON.object(claims).serialized,
      type: type,
      keyID: JWK(key.publicKey).thumbprint,
      with: key,
      algorithm: .es256
    )
  }
}

extension DeviceCredentials {
  /// Returns a signed decision with its device and time.
  ///
  /// The signature is later evidence of the owner's decision. A repeated submission has the same claims.
  func signed(_ decision: Decision, _ about: JSONObject) throws -> String {
    var claims = about
    claims["decision"] = .string(decision.name)
    claims["device"] = identity.deviceID.map { .string($0) }
    claims["iat"] = .int(decision.at.seconds)
    let type = "decision+jwt"
    return decision.isApproval
      ? try keys.sign(claims, type: type) : try keys.signDenial(claims, type: type)
  }
}
