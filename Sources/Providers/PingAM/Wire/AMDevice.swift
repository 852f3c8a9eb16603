internal import EventLoop
package import Glibc
internal import JSON

/// What servers hear of this machine.
package struct AMDevice: Sendable {
  let name: String
  /// The address that an owner's transport for pushes gave.
  let token: @EventLoop (uid_t) throws -> String?

  package init(name: String, token: @escaping @EventLoop (uid_t) throws -> String?) {
    (self.name, self.token) = (name, token)
  }

  /// The claims of a registration or a refresh, of pushes that the server knows by a mechanism.
  ///
  /// A server takes no blank address; where pushes come by no transport that it knows, the mechanism stands for one.
  /// Everything but `apns` is the same to it, and by the type a delegate of its administrator's can tell this machine
  /// from telephones.
  @EventLoop
  func claims(_ mechanism: String, of owner: uid_t) throws -> JSONObject {
    [
      "mechanismUid": .string(mechanism), "deviceId": .string(try token(owner) ?? mechanism),
      "deviceName": .string(name), "deviceType": "linux", "communicationType": "gcm",
    ]
  }
}
