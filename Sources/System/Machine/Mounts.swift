internal import Glibc

/// One line of /proc/self/mountinfo, proc(5).
struct Mount {
  /// The mount point.
  let point: String
  let type: Substring
  /// The mounted device or other source.
  let source: String

  init?(_ line: Substring) {
    let fields = line.split(separator: " ", omittingEmptySubsequences: false)
    guard fields.count >= 10, let separator = fields[6...].firstIndex(of: "-"), fields.count > separator + 2
    else { return nil }
    (point, type) = (Self.unescaped(fields[4]), fields[separator + 1])
    source = Self.unescaped(fields[separator + 2])
  }

  /// Decodes the octal escapes of a field, such as `\040` for a space.
  private static func unescaped(_ field: Substring) -> String {
    var (bytes, rest) = ([UInt8](), field.utf8)
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      guard byte == UInt8(ascii: "\\"), digits.count == 3,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      else {
        bytes.append(byte)
        continue
      }
      bytes.append(value)
      rest = rest.dropFirst(3)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// True if a path without symbolic links is at or below the mount point.
  func holds(_ path: String) -> Bool { point == "/" || path == point || path.hasPrefix(point + "/") }
}

extension Host {
  private static let longestMountTable = 1024 * 1024
  private static let mostFileSystems = 256
  private static let mostDevices = 4096

  /// Returns the devices of a file system with an anonymous device number; `nil` if they are unknown.
  ///
  /// The function knows only Btrfs. For all other file systems with such a number, such as network file
  /// systems, it returns `nil`.
  func devices(holding path: String) -> [DeviceNumber]? {
    guard let table = text("/proc/self/mountinfo", limit: Self.longestMountTable) else { return nil }
    var found: Mount?
    for mount in table.split(separator: "\n").lazy.compactMap(Mount.init) where mount.holds(path) {
      // A later mount at the same mount point covers the earlier one.
      if mount.point.utf8.count >= (found?.point.utf8.count ?? 0) { found = mount }
    }
    guard let found, found.type == "btrfs", let device = device(named: found.source) else { return nil }
    return members(with: device)
  }

  /// Returns the number of a device under /dev from sysfs, because a service may not have access to /dev.
  private func device(named source: String) -> DeviceNumber? {
    guard source.hasPrefix("/dev/") else { return nil }
    let name = source.dropFirst("/dev/".count)
    if name.hasPrefix("mapper/") {
      let mapping = String(name.dropFirst("mapper/".count))
      let names = names(in: "/sys/class/block", limit: Self.mostDevices) ?? []
      let block = names.first { $0.hasPrefix("dm-") && text("/sys/class/block/\($0)/dm/name") == mapping }
      return block.flatMap { number(in: "/sys/class/block/\($0)") }
    }
    // The kernel writes a slash in a name as an exclamation mark.
    return number(in: "/sys/class/block/\(String(name.map { $0 == "/" ? "!" : $0 }))")
  }

  /// Returns the devices of the Btrfs file system to which a device belongs.
  private func members(with device: DeviceNumber) -> [DeviceNumber]? {
    for name in names(in: "/sys/fs/btrfs", limit: Self.mostFileSystems) ?? [] {
      let directory = "/sys/fs/btrfs/\(name)/devices"
      let members = (names(in: directory, limit: Self.mostFileSystems) ?? []).map {
        number(in: "\(directory)/\($0)")
      }
      if members.contains(device) { return members.contains(nil) ? nil : members.compactMap(\.self) }
    }
    return nil
  }

  private func number(in directory: String) -> DeviceNumber? {
    text(directory + "/dev").flatMap(DeviceNumber.init)
  }
}

/// The kernel's number of a device.
struct DeviceNumber: Hashable, CustomStringConvertible {
  let major: UInt32
  let minor: UInt32

  /// Reads a number packed by stat(2).
  init(_ packed: dev_t) {
    major = UInt32(truncatingIfNeeded: (packed >> 8) & 0xFFF | (packed >> 32) & ~0xFFF)
    minor = UInt32(truncatingIfNeeded: packed & 0xFF | (packed >> 12) & ~0xFF)
  }

  /// Reads a number in the format of sysfs, `MAJOR:MINOR`.
  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let major = UInt32(parts[0]), let minor = UInt32(parts[1]) else { return nil }
    (self.major, self.minor) = (major, minor)
  }

  var description: String { "\(major):\(minor)" }

  /// True if the number is anonymous (major number 0), as for a file system that is not on one block device.
  var isAnonymous: Bool { major == 0 }
}
