package import Configuration
internal import EventLoop
package import Glibc
internal import JOSE
internal import OpenSSL
package import PingOne
internal import PlatformWire

extension TestPlatform {
  /// A device that was introduced.
  struct Device {
    var keys: DeviceKeyRing
    let geography: Geography
  }

  /// Knows no device any more, and gives new ids from now on.
  package func forgetDevices() {
    (devices, bindings, begun) = ([:], [:], [:])
    generation += 1
  }

  /// Whether a key, by its thumbprint, is one by which a device can prove itself.
  package func takes(_ key: String, of identity: Identity) -> Bool {
    identity.deviceID.flatMap { devices[$0] }?.keys.keys(key) != nil
  }

  /// The key that a device proves itself by now.
  package func key(of identity: Identity) -> String? {
    identity.deviceID.flatMap { devices[$0]?.keys.current.thumbprint }
  }

  /// Sees a proof by the new keys of a device, as from a machine that has been set back to an older state since.
  package func see(_ key: String, of identity: Identity) throws(PlatformError) {
    _ = try admit(identity.deviceID, key)
  }

  /// The id of an owner's device, if it is or were introduced now.
  package func device(of owner: uid_t, in geography: Geography = .northAmerica) -> String {
    let place = geography == .northAmerica ? "" : "-\(geography.rawValue)"
    return "d-\(owner)\(place)" + (generation == 0 ? "" : "-\(generation)")
  }

  /// The keys of a device that proves itself; the first proof by new ones ends the old ones.
  func admit(_ id: String?, _ thumbprint: String) throws(PlatformError) -> DeviceKeys {
    guard let id, let keys = devices[id]?.keys.admit(thumbprint) else { throw .deviceUnknown }
    return keys
  }
}
