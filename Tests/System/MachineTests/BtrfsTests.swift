import Testing

@testable import Machine

private let cipher = "CRYPT-LUKS2-0123456789abcdef-root"

@Suite("Disk encryption with Btrfs")
struct BtrfsTests {
  private static func mounts(_ fake: FakeHost, _ lines: [String]) throws {
    try fake.file("/proc/self/mountinfo", lines.map { $0 + "\n" }.joined())
  }

  /// Two file systems: `one` on an encrypted mapping, `two` on an encrypted mapping and a plain disk.
  private static func machine() throws -> FakeHost {
    let fake = try FakeHost()
    try fake.disk("8:0", "sda")
    try fake.disk("8:16", "sdb")
    try fake.mapping("254:0", "dm-0", uuid: cipher, of: ["pci0/sda"])
    try fake.mapping("254:1", "dm-1", uuid: cipher, of: ["pci0/sda"])
    try fake.link("/sys/fs/btrfs/one/devices/dm-0", to: "../../../../devices/virtual/dm-0")
    try fake.link("/sys/fs/btrfs/two/devices/dm-1", to: "../../../../devices/virtual/dm-1")
    try fake.link("/sys/fs/btrfs/two/devices/sdb", to: "../../../../devices/pci0/sdb")
    try fake.directory("/sys/fs/btrfs/features")
    return fake
  }

  @Test(
    "one plain device makes a Btrfs file system unencrypted, whichever is mounted",
    arguments: [
      ("/dev/mapper/the-dm-0", .enabled), ("/dev/dm-0", .enabled), ("/dev/mapper/the-dm-1", .disabled),
      ("/dev/sdb", .disabled), ("/dev/sda", .unknown), ("/dev/mapper/none", .unknown),
      ("/dev/none", .unknown),
      ("none", .unknown), ("/dev/../dm-0", .unknown),
    ] as [(String, Posture.Setting)]
  )
  func members(source: String, setting: Posture.Setting) throws {
    let fake = try Self.machine()
    try Self.mounts(fake, ["25 1 0:45 / / rw,noatime shared:1 - btrfs \(source) rw,ssd"])
    #expect(try fake.encryption() == setting)
  }

  @Test("encryption follows the mount of the state directory, the last one if stacked")
  func mounts() throws {
    let fake = try Self.machine()
    let root = "25 1 0:45 /@ / rw shared:1 - btrfs /dev/dm-0 rw"
    let state = "26 25 0:45 /@var /var/lib rw - btrfs /dev/sdb rw"
    let neighbour = "27 25 0:46 / /var/lib/mfa rw shared:2 master:3 - tmpfs tmpfs rw"
    try Self.mounts(fake, [root])
    #expect(try fake.encryption() == .enabled)
    try Self.mounts(fake, [root, state, neighbour])
    #expect(try fake.encryption() == .disabled)
    try Self.mounts(fake, [state, root])
    #expect(try fake.encryption() == .disabled)
    try Self.mounts(fake, [root, state, "28 26 0:45 / /var/lib rw - btrfs /dev/dm-0 rw"])
    #expect(try fake.encryption() == .enabled)
    try Self.mounts(fake, [root, #"29 25 0:47 / /var/lib/mfa\144 rw - btrfs /dev/sdb rw"#])
    #expect(try fake.encryption() == .disabled, "an escaped name")
  }

  @Test(
    "encryption of another file system without a device is unknown",
    arguments: ["overlay", "tmpfs", "zfs", "nfs4"]
  )
  func others(type: String) throws {
    let fake = try Self.machine()
    try Self.mounts(fake, ["25 1 0:45 / / rw - \(type) /dev/dm-0 rw"])
    #expect(try fake.encryption() == .unknown)
  }

  @Test(
    "encryption is unknown if the mount table is missing, malformed or too long",
    arguments: [
      "", "\n\n", "25 1 0:45", "25 1 0:45 / / rw shared:1", "25 1 0:45 / / rw - btrfs", "- - - - - - - - - -",
      String(repeating: "x", count: 2_000_000),
    ]
  )
  func nonsense(text: String) throws {
    let fake = try Self.machine()
    #expect(try fake.encryption() == .unknown)
    try fake.file("/proc/self/mountinfo", text)
    #expect(try fake.encryption() == .unknown)
  }
}
