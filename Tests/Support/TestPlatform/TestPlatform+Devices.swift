package import Configuration
internal import EventLoop
package import Glibc
internal import JOSE
internal import OpenSSL
package import PingOne
internal import PlatformWire

extension TestPlatform {
  /// A registered device.
  struct Device {
    var keys: DeviceKeyRing
    let geography: Geography
  }

  /// Forgets all devices.
  ///
  /// New registrations get new IDs.
  package func forgetDevices() {
    (devices, bindings, begun) = ([:], [:], [:])
    generation += 1
  }

  /// Returns true if a device can authenticate with the key of this thumbprint.
  package func takes(_ key: String, of identity: Identity) -> Bool {
    identity.deviceID.flatMap { devices[$0] }?.keys.keys(key) != nil
  }

  /// Returns the thumbprint of the device's current key.
  package func key(of identity: Identity) -> String? {
    identity.deviceID.flatMap { devices[$0]?.keys.current.thumbprint }
  }

  /// Receives a proof by the new keys of a device, as from a machine that was rolled back afterwards.
  package func see(_ key: String, of identity: Identity) throws(PlatformError) {
    _ = try admit(identity.deviceID, key)
  }

  /// Returns the ID of an owner's device, registered now or later.
  package func device(of owner: uid_t, in geography: Geography = .northAmerica) -> String {
    let place = geography == .northAmerica ? "" : "-\(geography.rawValue)"
    return "d-\(owner)\(place)" + (generation == 0 ? "" : "-\(generation)")
  }

  /// Returns the keys of an authenticated device.
  ///
  /// The first proof by new keys revokes the old ones.
  func admit(_ id: String?, _ thumbprint: String) throws(PlatformError) -> DeviceKeys {
    guard let id, let keys = devices[id]?.keys.admit(thumbprint) else { throw .deviceUnknown }
    return keys
  }
}
