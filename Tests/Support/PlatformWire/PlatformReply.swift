package import CourierProtocol
package import JOSE
package import JSON
package import OpenSSL

/// A reply of a simulated platform before it is sealed.
package struct PlatformReply {
  package var status: Int
  package var body: JSON

  package init(_ status: Int = 200, _ body: JSON = [:]) { (self.status, self.body) = (status, body) }

  package static let deviceUnknown = PlatformReply(401, ["code": "DEVICE_UNKNOWN"])

  /// The announcement of the platform's keys, signed with the key that devices know.
  package static func announcement(of keys: [JWK], by key: PrivateKey, keyID: String) throws
    -> CourierResponse
  {
    let claims: JSON = ["keys": .array(keys.map(\.json)), "version": .int(keys.count)]
    let token = try CompactJWS.sign(
      payload: claims.serialized,
      type: "platform-keys+jwt",
      keyID: keyID,
      with: key,
      algorithm: .es256
    )
    return CourierResponse(status: 200, headers: [], body: Array(token.utf8))
  }
}
