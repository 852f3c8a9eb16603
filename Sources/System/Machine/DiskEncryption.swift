import Glibc

extension Posture.Setting {
  /// Determines whether the disks that hold a directory are encrypted.
  init(encryptionOf directory: String, on host: Host) {
    guard let place = host.resolve(directory)?.path, let status = host.status(place) else {
      self = .unknown
      return
    }
    self.init(encryptionOf: DeviceNumber(status.st_dev), holding: place, on: host)
  }

  /// Determines whether the devices of a file system are encrypted.
  ///
  /// `path` is a path in the file system, without symbolic links.
  init(encryptionOf device: DeviceNumber, holding path: String, on host: Host) {
    guard let devices = device.isAnonymous ? host.devices(holding: path) : [device] else {
      self = .unknown
      return
    }
    var walk = EncryptionWalk(host: host)
    self = walk.encryption(of: devices)
  }
}

/// The traversal from a device to its underlying devices, down to an encrypting device or a disk.
private struct EncryptionWalk {
  let host: Host
  /// The results so far; a device being examined is unknown, which ends the traversal of a cycle.
  private var known: [DeviceNumber: Posture.Setting] = [:]

  private static let mostDevices = 256
  private static let mostParts = 64

  init(host: Host) { self.host = host }

  /// Returns `enabled` if all devices are encrypted, `disabled` if one is not, otherwise `unknown`.
  mutating func encryption(of devices: [DeviceNumber?]) -> Posture.Setting {
    var settings: Set<Posture.Setting> = []
    for device in devices {
      guard let device else {
        settings.insert(.unknown)
        continue
      }
      if let setting = known[device] {
        settings.insert(setting)
        continue
      }
      guard known.count < Self.mostDevices else { return .unknown }
      known[device] = .unknown
      let setting = encryption(of: device)
      known[device] = setting
      settings.insert(setting)
    }
    if settings.contains(.disabled) { return .disabled }
    return settings == [.enabled] ? .enabled : .unknown
  }

  private mutating func encryption(of device: DeviceNumber) -> Posture.Setting {
    let path = "/sys/dev/block/\(device)"
    if host.exists(path + "/partition") { return encryption(of: [number(path + "/..")]) }
    guard let parts = host.names(in: path + "/slaves", limit: Self.mostParts) else { return .unknown }
    let mapping = host.exists(path + "/dm") ? Mapping(host.text(path + "/dm/uuid") ?? "") : .transparent
    if mapping == .cipher { return .enabled }
    // A hardware device without slaves is a disk. Any other device without slaves, such as a network block
    // device, may store its data anywhere.
    guard !parts.isEmpty else { return host.exists(path + "/device") ? .disabled : .unknown }
    let below = encryption(of: parts.map { number("\(path)/slaves/\($0)") })
    return mapping == .unknown && below == .disabled ? .unknown : below
  }

  private func number(_ path: String) -> DeviceNumber? { host.text(path + "/dev").flatMap(DeviceNumber.init) }
}

/// The kind of a device-mapper target, determined by its UUID prefix.
private enum Mapping {
  case cipher, transparent, unknown

  private static let ciphers = [
    "CRYPT-LUKS", "CRYPT-PLAIN-", "CRYPT-BITLK-", "CRYPT-TCRYPT-", "CRYPT-FVAULT2-", "CRYPT-LOOPAES-",
  ]
  /// Logical volumes, multipath, partitions, and cryptsetup's targets for integrity without encryption.
  private static let others = [
    "LVM-", "mpath-", "part", "CRYPT-VERITY-", "CRYPT-INTEGRITY-", "CRYPT-SUBDEV-",
  ]

  init(_ uuid: String) {
    self =
      if Self.ciphers.contains(where: { uuid.hasPrefix($0) }) {
        .cipher
      } else {
        Self.others.contains { uuid.hasPrefix($0) } ? .transparent : .unknown
      }
  }
}
