import JSON

extension Tenant {
  /// The claim by which an ID token offers to pair a device with the user; none when there is nothing to pair.
  func pairingOffer(_ payload: MobilePayload?, to user: User) -> JSON? {
    guard let payload, user.mfaEnabled, let device = trustedDevices[payload.device],
      !pairings(on: device.id).contains(where: { $0.user == user.id })
    else { return nil }
    let rules = policy.rules(for: device.application)
    guard policy.hasMobile, rules.autoEnrollment, !rules.pairingDisabled else { return nil }
    let key = makePairingKey(
      for: user.id,
      applications: [device.application],
      policy: policy,
      geography: device.geography
    )
    return [
      "key": .string(key.code), "device": .id(device.id), "payload": .string(payload.id),
      "expiresAt": .time(clock.instant(of: key.deadline)),
    ]
  }
}
