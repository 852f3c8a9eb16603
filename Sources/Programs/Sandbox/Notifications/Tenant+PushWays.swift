extension Tenant {
  /// Why no push can reach a device, by the codes that a pairing names; `nil` if one can.
  func pushObstacle(of device: TrustedDevice, _ rules: ApplicationRules) -> Failure? {
    guard rules.isPushEnabled else { return Failure("PushDisabled", "the policy has pushes disabled") }
    guard let push = device.push else {
      return Failure("MissingDeviceToken", "the device has not said where pushes go")
    }
    guard push.isAllowed else { return Failure("PushDisabled", "the device wants no pushes") }
    guard push.isEnabled else {
      return Failure("MissingDeviceToken", "there is no token of the device for its provider")
    }
    guard pushCredentials(of: device.application).contains(where: { $0.type.serves(push.provider) }) else {
      return Failure("MissingPushCredentials", "the application has no push credentials for it")
    }
    return self.transportRefusal.map { Failure($0, "the transport of pushes refused it") }
  }

  func canPush(to pairing: MFADevice, under policy: Policy) -> Bool {
    guard let mobile = pairing.mobile, let device = trustedDevices[mobile.device], lock(of: pairing) == nil
    else { return false }
    return pushObstacle(of: device, policy.rules(for: mobile.application)) == nil
  }
}
