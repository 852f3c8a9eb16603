import JSON

extension Tenant {
  /// Notes what a device says about its machine, for what is asked about it until it says something else.
  func note(_ posture: ReportedPosture?, of device: inout TrustedDevice) {
    guard let posture else { return }
    device.posture = posture
    trustedDevices.put(device)
  }

  /// Refuses an approval by a device that is not what the application and the policy want.
  func requireSoundness(of device: inout TrustedDevice, _ posture: ReportedPosture?) throws(ErrorResponse) {
    note(posture, of: &device)
    if application.integrityDetection == .enabled {
      let verdict = IntegrityVerdict(
        posture,
        strictness: policy.integrityDetection ?? .permissive,
        hasPassedLately: device.integrityPassed.map { !clock.isOver($0) } ?? false
      )
      guard verdict == .passed else {
        device.integrityPassed = nil
        trustedDevices.put(device)
        throw .integrityFailed
      }
      if posture != nil, let cache = application.integrityCache {
        device.integrityPassed = clock.deadline(in: cache.seconds)
        trustedDevices.put(device)
      }
    }
    guard !requirements.isEmpty else { return }
    guard let known = device.posture else {
      throw .requirementsUnmet(["the device has not described itself"])
    }
    let unmet = requirements.unmet(by: known)
    guard unmet.isEmpty else { throw .requirementsUnmet(unmet) }
  }

  private var requirements: DeviceRequirements { self.settings.integrity }

  /// How a device stands to what its application requires; `nil` if nothing is required or nothing known of it.
  func requirementsEvaluation(of device: TrustedDevice) -> JSON? {
    guard !requirements.isEmpty, let posture = device.posture else { return nil }
    let unmet = requirements.unmet(by: posture)
    let data = JSON.of([
      "posture": ReportedPosture.fields.json(of: posture),
      "requirements": DeviceRequirements.fields.json(of: requirements),
    ])
    return .of([
      "status": unmet.isEmpty ? "Passed" : "Failed",
      "reason": unmet.isEmpty ? nil : unmet.joined(separator: "; "),
      "deviceRequirementsDataHash": try? SealedRequest.hash(data.serialized),
    ])
  }
}

enum IntegrityVerdict: Sendable {
  case passed, failed

  /// What is done when nothing can be judged.
  enum Strictness: String, CaseIterable, Codable, Shown { case permissive, restrictive }

  /// The verdict on a posture; when there is none, an earlier good verdict that still counts or else the strictness
  /// decides.
  init(_ posture: ReportedPosture?, strictness: Strictness, hasPassedLately: Bool) {
    guard let posture else {
      self = hasPassedLately || strictness == .permissive ? .passed : .failed
      return
    }
    let isBroken =
      posture.secureBoot == .disabled || posture.programProtected == .no || posture.stateProtected == .no
    self = isBroken ? .failed : .passed
  }
}

/// What a device says about the machine that it runs on; what it leaves out is unknown.
struct ReportedPosture: Codable, Sendable {
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

  static let fields: [ResourceField<ReportedPosture>] = [
    ResourceField("os.id", \.system, .text(128)), ResourceField("os.version", \.systemVersion, .text(128)),
    ResourceField("os.kernel", \.kernel, .text(128)), ResourceField("secureBoot", \.secureBoot, .choice),
    ResourceField("diskEncryption", \.diskEncryption, .choice),
    ResourceField("kernelLockdown", \.kernelLockdown, .choice),
    ResourceField("programProtected", \.programProtected, .choice),
    ResourceField("stateProtected", \.stateProtected, .choice),
  ]

  init(_ members: Members) throws(ErrorResponse) { try Self.fields.update(&self, from: members) }

  /// The posture in a request that may have one.
  static func member(of body: Members, maximum: Int) throws(ErrorResponse) -> ReportedPosture? {
    try body.members("posture", maximum: maximum).map { members throws(ErrorResponse) in
      try ReportedPosture(members)
    }
  }
}
