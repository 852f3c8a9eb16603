import Configuration
import EventLoop
import JOSE
import JSON
import OpenSSL
import TestLoop
import Testing
import Time
import WebAddress

@testable import Authenticator
@testable import PingOne

/// A platform with keys and a device that may know some of them.
@EventLoop
struct TestIdentity {
  let platformKey: PrivateKey
  let identity: Identity

  init(deviceID: String? = "d-1", holding keys: [PrivateKey]? = nil, version: Int = 1) throws {
    platformKey = try PrivateKey.generateP256()
    let url = try #require(WebURL("https://platform.example/base"))
    let held = keys ?? [platformKey]
    let record = PlatformRecord(
      url: url,
      keys: held.map { JWK($0.publicKey, keyID: JWK($0.publicKey).thumbprint) },
      keysVersion: version
    )
    identity = Identity(
      id: "i",
      owner: 1000,
      geography: .europe,
      platform: record,
      keys: try .generate(),
      keysMadeAt: Timestamp(seconds: 0)
    )
    identity.deviceID = deviceID
  }
}

extension PrivateKey {
  /// The key's RFC 7638 thumbprint.
  var thumbprint: String { JWK(publicKey).thumbprint }

  /// A token by this key.
  func sign(_ claims: JSONObject, type: String?, keyID: String? = nil) throws -> String {
    try CompactJWS.sign(
      payload: JSON.object(claims).serialized,
      type: type,
      keyID: keyID ?? thumbprint,
      with: self,
      algorithm: .es256
    )
  }
}
