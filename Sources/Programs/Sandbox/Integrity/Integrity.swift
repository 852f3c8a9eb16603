import JSON

extension Tenant {
  /// Stores the posture that a device reports; it stays valid until the next report.
  func note(_ posture: ReportedPosture?, of device: inout TrustedDevice) {
    guard let posture else { return }
    device.posture = posture
    trustedDevices.put(device)
  }

  /// Throws if the device does not meet the integrity settings of the application and the policy.
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
      throw .requirementsUnmet(["the device has not reported its posture"])
    }
    let unmet = requirements.unmet(by: known)
    guard unmet.isEmpty else { throw .requirementsUnmet(unmet) }
  }

  private var requirements: DeviceRequirements { self.settings.integrity }

  /// Returns the evaluation of the application's requirements, `nil` without requirements or without a
  /// posture.
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

  /// Verdict if there is no posture and no recent good verdict.
  enum Strictness: String, CaseIterable, Codable, Shown { case permissive, restrictive }

  /// Evaluates a posture.
  ///
  /// Without a posture, a recent good verdict passes; otherwise the strictness decides.
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

/// The state of a device's machine, as the device reports it; omitted values are unknown.
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
  /// `yes` if only root and the program's user can change the program.
  private(set) var programProtected = Claim.unknown
  /// `yes` if only root and the program's user can change the program's state.
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

  /// Returns the posture in a request, `nil` without one.
  static func member(of body: Members, maximum: Int) throws(ErrorResponse) -> ReportedPosture? {
    try body.members("posture", maximum: maximum).map { members throws(ErrorResponse) in
      try ReportedPosture(members)
    }
  }
}
