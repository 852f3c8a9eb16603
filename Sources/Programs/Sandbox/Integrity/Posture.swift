/// What a device says about the machine that it runs on; what it leaves out is unknown.
struct Posture: Codable, Sendable {
  enum Switch: String, CaseIterable, Codable, Shown { case enabled, disabled, unknown }

  enum Lockdown: String, CaseIterable, Codable, Shown { case none, integrity, confidentiality, unknown }

  enum Claim: String, CaseIterable, Codable, Shown { case yes, no, unknown }

  private(set) var system: String?
  private(set) var systemVersion: String?
  private(set) var kernel: String?
  private(set) var secureBoot = Switch.unknown
  private(set) var diskEncryption = Switch.unknown
  private(set) var kernelLockdown = Lockdown.unknown
  /// Whether only root and the program's user can change the program.
  private(set) var programProtected = Claim.unknown
  /// Whether only root and the program's user can change its state.
  private(set) var stateProtected = Claim.unknown

  static let fields: [Field<Posture>] = [
    Field("os.id", \.system, .text(128)), Field("os.version", \.systemVersion, .text(128)),
    Field("os.kernel", \.kernel, .text(128)), Field("secureBoot", \.secureBoot, .choice),
    Field("diskEncryption", \.diskEncryption, .choice), Field("kernelLockdown", \.kernelLockdown, .choice),
    Field("programProtected", \.programProtected, .choice),
    Field("stateProtected", \.stateProtected, .choice),
  ]

  init(_ members: Members) throws(Refusal) { try Self.fields.update(&self, from: members) }

  /// The posture in a request that may have one.
  static func member(of body: Members, maximum: Int) throws(Refusal) -> Posture? {
    try body.members("posture", maximum: maximum).map { members throws(Refusal) in try Posture(members) }
  }
}
