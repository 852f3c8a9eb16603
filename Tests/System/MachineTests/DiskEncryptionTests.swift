import Testing

@testable import Machine

extension FakeHost {
  /// Makes a block device at a path below `/sys/devices`.
  func device(_ number: String, _ path: String) throws {
    try file("/sys/devices/\(path)/dev", "\(number)\n")
    try link("/sys/dev/block/\(number)", to: "../../devices/\(path)")
    try link("/sys/class/block/\(path.split(separator: "/").last ?? "")", to: "../../devices/\(path)")
  }

  func disk(_ number: String, _ name: String) throws {
    try device(number, "pci0/\(name)")
    try directory("/sys/devices/pci0/\(name)/slaves")
    try directory("/sys/devices/pci0/\(name)/device")
  }

  func partition(_ number: String, _ path: String) throws {
    try device(number, "pci0/\(path)")
    try file("/sys/devices/pci0/\(path)/partition", "1\n")
  }

  /// Makes a device that consists of others, given by their paths below `/sys/devices`.
  func compound(_ number: String, _ name: String, of parts: [String]) throws {
    try device(number, "virtual/\(name)")
    try directory("/sys/devices/virtual/\(name)/slaves")
    for part in parts {
      let link = "/sys/devices/virtual/\(name)/slaves/\(part.split(separator: "/").last ?? "")"
      try self.link(link, to: "../../../\(part)")
    }
  }

  /// Makes a device-mapper device.
  func mapping(_ number: String, _ name: String, uuid: String, of parts: [String]) throws {
    try compound(number, name, of: parts)
    try file("/sys/devices/virtual/\(name)/dm/uuid", "\(uuid)\n")
    try file("/sys/devices/virtual/\(name)/dm/name", "the-\(name)\n")
  }

  /// Returns the encryption of a device, or of the mount of `/var/lib/mfad` if the number is anonymous.
  func encryption(_ number: String = "0:45") throws -> Posture.Setting {
    Posture.Setting(
      encryptionOf: try #require(DeviceNumber(number)),
      holding: "/var/lib/mfad",
      on: host
    )
  }
}

private let cipher = "CRYPT-LUKS2-0123456789abcdef-root"

@Suite("Disk encryption")
struct DiskEncryptionTests {
  @Test("a plain disk and its partitions are not encrypted")
  func plain() throws {
    let fake = try FakeHost()
    try fake.disk("8:0", "sda")
    try fake.partition("8:1", "sda/sda1")
    #expect(try fake.encryption("8:0") == .disabled)
    #expect(try fake.encryption("8:1") == .disabled)
  }

  @Test(
    "a dm-crypt mapping is encrypted",
    arguments: [
      cipher, "CRYPT-LUKS1-0-x", "CRYPT-PLAIN-x", "CRYPT-BITLK-0-x", "CRYPT-TCRYPT-0-x", "CRYPT-FVAULT2-0-x",
    ]
  )
  func ciphers(uuid: String) throws {
    let fake = try FakeHost()
    try fake.disk("8:0", "sda")
    try fake.partition("8:2", "sda/sda2")
    try fake.mapping("254:0", "dm-0", uuid: uuid, of: ["pci0/sda/sda2"])
    #expect(try fake.encryption("254:0") == .enabled)
    #expect(try fake.encryption("8:2") == .disabled, "what lies below it is not")
  }

  @Test("a volume on an encrypted mapping is encrypted, and a partition on one too")
  func volumes() throws {
    let fake = try FakeHost()
    try fake.disk("8:0", "sda")
    try fake.partition("8:2", "sda/sda2")
    try fake.mapping("254:0", "dm-0", uuid: cipher, of: ["pci0/sda/sda2"])
    try fake.mapping("254:1", "dm-1", uuid: "LVM-abcdef", of: ["virtual/dm-0"])
    try fake.mapping("254:2", "dm-2", uuid: "part1-LVM-abcdef", of: ["virtual/dm-1"])
    #expect(try fake.encryption("254:1") == .enabled)
    #expect(try fake.encryption("254:2") == .enabled)
  }

  @Test("a volume on a plain disk is not encrypted")
  func plainVolume() throws {
    let fake = try FakeHost()
    try fake.disk("8:0", "sda")
    try fake.mapping("254:1", "dm-1", uuid: "LVM-abcdef", of: ["pci0/sda"])
    #expect(try fake.encryption("254:1") == .disabled)
  }

  @Test(
    "an integrity mapping has the encryption of its lower device",
    arguments: [
      "CRYPT-VERITY-0-x", "CRYPT-INTEGRITY-x", "CRYPT-SUBDEV-0-x",
    ]
  )
  func verity(uuid: String) throws {
    let fake = try FakeHost()
    try fake.disk("8:0", "sda")
    try fake.mapping("254:0", "dm-0", uuid: uuid, of: ["pci0/sda"])
    #expect(try fake.encryption("254:0") == .disabled)
    try fake.mapping("254:1", "dm-1", uuid: cipher, of: ["pci0/sda"])
    try fake.mapping("254:2", "dm-2", uuid: uuid, of: ["virtual/dm-1"])
    #expect(try fake.encryption("254:2") == .enabled)
  }

  @Test(
    "an unknown mapping is encrypted only if its lower device is",
    arguments: [
      "", "CRYPT-", "CRYPT-TEMP-x", "crypt-luks2-x", "SOMETHING",
    ]
  )
  func unknownMapping(uuid: String) throws {
    let fake = try FakeHost()
    try fake.disk("8:0", "sda")
    try fake.mapping("254:0", "dm-0", uuid: uuid, of: ["pci0/sda"])
    #expect(try fake.encryption("254:0") == .unknown)
    try fake.mapping("254:1", "dm-1", uuid: cipher, of: ["pci0/sda"])
    try fake.mapping("254:2", "dm-2", uuid: uuid, of: ["virtual/dm-1"])
    #expect(try fake.encryption("254:2") == .enabled)
  }

  @Test("an array is encrypted only if all its disks are")
  func arrays() throws {
    let fake = try FakeHost()
    try fake.disk("8:0", "sda")
    try fake.disk("8:16", "sdb")
    try fake.mapping("254:0", "dm-0", uuid: cipher, of: ["pci0/sda"])
    try fake.mapping("254:1", "dm-1", uuid: cipher, of: ["pci0/sdb"])
    try fake.compound("9:0", "md0", of: ["virtual/dm-0", "virtual/dm-1"])
    try fake.compound("9:1", "md1", of: ["virtual/dm-0", "pci0/sdb"])
    #expect(try fake.encryption("9:0") == .enabled)
    #expect(try fake.encryption("9:1") == .disabled)
    try fake.mapping("254:2", "dm-2", uuid: "LVM-x", of: ["virtual/dm-0", "virtual/missing"])
    #expect(try fake.encryption("254:2") == .unknown)
  }

  @Test("a device without hardware or sysfs entry is unknown")
  func unknown() throws {
    let fake = try FakeHost()
    #expect(try fake.encryption("8:0") == .unknown, "no sysfs")
    try fake.compound("7:0", "loop0", of: [])
    #expect(try fake.encryption("7:0") == .unknown)
    try fake.mapping("254:0", "dm-0", uuid: "LVM-x", of: [])
    #expect(try fake.encryption("254:0") == .unknown)
    try fake.file("/sys/dev/block/8:1/partition", "1\n")
    #expect(try fake.encryption("8:1") == .unknown, "a partition of nothing")
  }

  @Test("device cycles and devices with too many parts are unknown")
  func circles() throws {
    let fake = try FakeHost()
    try fake.compound("9:0", "md0", of: ["virtual/md1"])
    try fake.compound("9:1", "md1", of: ["virtual/md0"])
    #expect(try fake.encryption("9:0") == .unknown)
    try fake.link("/sys/dev/block/8:0", to: "8:0")
    #expect(try fake.encryption("8:0") == .unknown)
    try fake.directory("/sys/dev/block/8:5")
    try fake.file("/sys/dev/block/8:5/partition", "1\n")
    try fake.file("/sys/dev/block/dev", "8:5\n")
    #expect(try fake.encryption("8:5") == .unknown)
    try fake.disk("8:16", "sdb")
    try fake.compound("9:2", "md2", of: ["pci0/sdb"])
    for part in 0..<64 { try fake.link("/sys/devices/virtual/md2/slaves/x\(part)", to: "../../../pci0/sdb") }
    #expect(try fake.encryption("9:2") == .unknown)
  }

  @Test(
    "only device numbers in the kernel's format are parsed",
    arguments: [
      "", ":", "8", "8:", ":1", "8:1:2", "a:b", "-1:2", "8: 1", "99999999999:1",
    ]
  )
  func numbers(text: String) {
    #expect(DeviceNumber(text) == nil)
    #expect(DeviceNumber("254:1048575").map(\.description) == "254:1048575")
  }

  @Test("a packed st_dev is split into major and minor number")
  func packed() {
    #expect(DeviceNumber(0xFE00).description == "254:0")
    #expect(DeviceNumber(0x0010_0801).description == "8:257")
    #expect(DeviceNumber(0x1000_0000_0801).description == "4104:1")
    #expect(DeviceNumber(0x2D).isAnonymous)
  }
}
