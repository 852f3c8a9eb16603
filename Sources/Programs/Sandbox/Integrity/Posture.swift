import JSON

/// What a device says about the machine that it runs on.
struct Posture: Codable, Sendable {
  enum Switch: String, CaseIterable, Codable { case enabled, disabled, unknown }

  enum Lockdown: String, CaseIterable, Codable { case none, integrity, confidentiality, unknown }

  enum Claim: String, CaseIterable, Codable { case yes, no, unknown }

  let system: String?
  let systemVersion: String?
  let kernel: String?
  let secureBoot: Switch
  let diskEncryption: Switch
  let kernelLockdown: Lockdown
  /// Whether only root and the program's user can change the program.
  let programProtected: Claim
  /// Whether only root and the program's user can change its state.
  let stateProtected: Claim

  private static let maximumName = 128

  /// Reads a posture; what it leaves out is unknown.
  init(_ members: Members) throws(PingOneError) {
    let os = try members.members("os") ?? Members()
    system = try os.text("id", maximum: Self.maximumName)
    systemVersion = try os.text("version", maximum: Self.maximumName)
    kernel = try os.text("kernel", maximum: Self.maximumName)
    secureBoot = try members.choice("secureBoot", of: Switch.self) ?? .unknown
    diskEncryption = try members.choice("diskEncryption", of: Switch.self) ?? .unknown
    kernelLockdown = try members.choice("kernelLockdown", of: Lockdown.self) ?? .unknown
    programProtected = try members.choice("programProtected", of: Claim.self) ?? .unknown
    stateProtected = try members.choice("stateProtected", of: Claim.self) ?? .unknown
  }

  var json: JSON {
    [
      "os": .present([
        ("id", system.map { .string($0) }), ("version", systemVersion.map { .string($0) }),
        ("kernel", kernel.map { .string($0) }),
      ]),
      "secureBoot": .choice(secureBoot), "diskEncryption": .choice(diskEncryption),
      "kernelLockdown": .choice(kernelLockdown), "programProtected": .choice(programProtected),
      "stateProtected": .choice(stateProtected),
    ]
  }
}
