import Glibc
import Testing

@testable import Machine

@Suite("Posture")
struct PostureTests {
  @Test("all findings are unknown on a machine without any files")
  func nothing() throws {
    let posture = Posture(of: try FakeHost().host, stateDirectory: "/var/lib/mfad")
    #expect(posture.operatingSystem.id == "unknown" && posture.operatingSystem.version == "unknown")
    #expect(posture.secureBoot == .unknown && posture.diskEncryption == .unknown)
    #expect(posture.kernelLockdown == .unknown)
    #expect(posture.programProtected == .unknown && posture.stateProtected == .unknown)
  }

  @Test("all findings are known on a complete machine")
  func everything() throws {
    let fake = try FakeHost()
    try fake.file("/etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n")
    try fake.file(
      "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
      "\u{6}\0\0\0\u{1}"
    )
    try fake.file("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n")
    try fake.file("/usr/bin/mfad", "program", mode: 0o755)
    try fake.link("/proc/self/exe", to: "/usr/bin/mfad")
    try fake.directory("/var/lib/mfad", mode: 0o777)
    // The tree is on a real file system. Its device, or its mount if anonymous, is added to this machine.
    let status = try #require(fake.host.status("/var/lib/mfad"))
    let number = DeviceNumber(status.st_dev)
    try fake.mapping(number.isAnonymous ? "254:9" : "\(number)", "dm-9", uuid: "CRYPT-LUKS2-0-x", of: [])
    try fake.link("/sys/fs/btrfs/one/devices/dm-9", to: "../../../../devices/virtual/dm-9")
    try fake.file("/proc/self/mountinfo", "25 1 0:45 / / rw - btrfs /dev/dm-9 rw\n")

    let posture = Posture(of: fake.host, stateDirectory: "/var/lib/mfad")
    #expect(posture.operatingSystem.id == "debian" && posture.operatingSystem.version == "12")
    #expect(posture.secureBoot == .enabled && posture.diskEncryption == .enabled)
    #expect(posture.kernelLockdown == .integrity)
    #expect(posture.programProtected == .yes && posture.stateProtected == .no)
  }

  @Test("measuring this machine twice gives the same result")
  func real() {
    let posture = Posture(of: Host(), stateDirectory: "/")
    #expect(posture.operatingSystem.kernel != "unknown")
    #expect(posture.programProtected != .unknown, "the program that runs this test is there")
    #expect(posture == Posture(of: Host(), stateDirectory: "/"))
  }
}
