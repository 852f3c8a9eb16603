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

/// What one owner is to the platform of one geography, a device with two keys, as it was when it was read.
public struct Identity: Sendable, Equatable {
  public let id: String
  public let owner: uid_t
  public let geography: Geography
  /// The base URL of the platform's device service.
  public let url: WebURL
  /// Whether it is for the geography that its owner configured; others come with pairing keys of elsewhere.
  public let isPrimary: Bool
  /// The RFC 7638 thumbprint of its device key.
  public let keyID: String
  /// That of a rotation which the platform has not confirmed yet.
  public let nextKeyID: String?
  public let keysMadeAt: Timestamp
  /// The id that the platform gave; `nil` until trust is established.
  public let deviceID: String?
  /// The issuers that the platform announced.
  public let issuers: [String]
  /// Whether the platform knows how pushes reach this device.
  public let isPushRegistered: Bool
  /// Where the fetching of pushes is resumed.
  public let cursor: String?

  public var isTrusted: Bool { deviceID != nil }

  var ownedKey: OwnedKey { OwnedKey(id, of: owner) }
}

/// The two keys that make a device: one for what it asks, one for what its owner decides.
public struct IdentityKeys: Sendable {
  /// Proves that a request comes from this device.
  public let device: PrivateKey
  /// Signs what the owner decides; not to be had while the owner is locked.
  private let openAnswer: PrivateKey?
  /// What the platform knows the device key by, its RFC 7638 thumbprint.
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
  /// A JWS by the answer key.
  func sign(_ claims: JSONObject, type: String) throws -> String {
    try Self.sign(claims, type: type, by: answer)
  }

  /// A JWS of a denial, which the device key may sign while its owner is locked.
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
  /// A decision, signed with which device it was made on and when: what its owner decided can be shown later, and is
  /// the same however often it is handed in.
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
