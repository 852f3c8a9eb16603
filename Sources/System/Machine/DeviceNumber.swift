import Glibc

/// The number by which the kernel knows a device.
struct DeviceNumber: Hashable, CustomStringConvertible {
  let major: UInt32
  let minor: UInt32

  /// A number as stat(2) packs it.
  init(_ packed: dev_t) {
    major = UInt32(truncatingIfNeeded: (packed >> 8) & 0xFFF | (packed >> 32) & ~0xFFF)
    minor = UInt32(truncatingIfNeeded: packed & 0xFF | (packed >> 12) & ~0xFF)
  }

  /// A number as sysfs writes it, `MAJOR:MINOR`.
  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let major = UInt32(parts[0]), let minor = UInt32(parts[1]) else { return nil }
    (self.major, self.minor) = (major, minor)
  }

  var description: String { "\(major):\(minor)" }

  /// Whether it stands for a file system without a device of its own.
  var isAnonymous: Bool { major == 0 }
}
