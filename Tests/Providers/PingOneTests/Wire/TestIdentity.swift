import Configuration
import EventLoop
import JOSE
import JSON
import OpenSSL
import Testing
import Time
import WebAddress

@testable import PingOne

/// A platform with keys, and a device that may know some of them.
@EventLoop
struct TestIdentity {
  let platformKey: PrivateKey
  let credentials: DeviceCredentials

  var keys: IdentityKeys { credentials.keys }
  var platform: PlatformRecord { credentials.platform }

  init(deviceID: String? = "d-1", holding held: [PrivateKey]? = nil, version: Int = 1) throws {
    platformKey = try PrivateKey.generateP256()
    let url = try #require(WebURL("https://platform.example/base"))
    let known = (held ?? [platformKey]).map { JWK($0.publicKey, keyID: JWK($0.publicKey).thumbprint) }
    let keys = try IdentityKeys.generate()
    credentials = DeviceCredentials(
      identity: Identity(
        id: "i",
        owner: 1000,
        geography: .europe,
        url: url,
        isPrimary: true,
        keyID: keys.deviceThumbprint,
        nextKeyID: nil,
        keysMadeAt: Timestamp(seconds: 0),
        deviceID: deviceID,
        issuers: [],
        isPushRegistered: false,
        cursor: nil
      ),
      keys: keys,
      platform: PlatformRecord(url: url, whenReachableAgain: {}) {
        known.isEmpty ? nil : PlatformKeySet(keys: known, version: version, announcement: "")
      },
      isThere: { true },
      refreshPlatformKeys: { false }
    )
  }
}

extension PrivateKey {
  /// RFC 7638 thumbprint of the key.
  var thumbprint: String { JWK(publicKey).thumbprint }

  /// Returns a token signed with this key.
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
