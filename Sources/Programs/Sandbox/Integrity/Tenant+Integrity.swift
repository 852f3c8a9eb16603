import JSON

extension Tenant {
  /// Notes what a device says about its machine, for what is asked about it until it says something else.
  func note(_ posture: Posture?, of device: inout TrustedDevice) {
    guard let posture else { return }
    device.posture = posture
    trustedDevices.put(device)
  }

  /// Refuses an approval by a device that is not what the application and the policy want.
  func requireSoundness(of device: inout TrustedDevice, _ posture: Posture?) throws(Refusal) {
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
      "posture": Posture.fields.json(of: posture),
      "requirements": DeviceRequirements.fields.json(of: requirements),
    ])
    return .of([
      "status": unmet.isEmpty ? "Passed" : "Failed",
      "reason": unmet.isEmpty ? nil : unmet.joined(separator: "; "),
      "deviceRequirementsDataHash": try? SealedRequest.hash(data.serialized),
    ])
  }
}
