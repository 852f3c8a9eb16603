extension Tenant {
  /// Why no push can reach a device, by the codes that a pairing names; `nil` if one can.
  func pushObstacle(of device: TrustedDevice) -> Failure? {
    guard policy.isPushEnabled else { return Failure("PushDisabled", "the policy has pushes disabled") }
    guard let push = device.push else {
      return Failure("MissingDeviceToken", "the device has not said where pushes go")
    }
    guard push.isAllowed else { return Failure("PushDisabled", "the device wants no pushes") }
    guard push.isEnabled else {
      return Failure("MissingDeviceToken", "there is no token of the device for its provider")
    }
    return self.transportRefusal.map { Failure($0, "the transport of pushes refused it") }
  }

  func canPush(to pairing: MFADevice) -> Bool {
    guard let device = pairing.mobile.flatMap({ trustedDevices[$0.device] }), lock(of: pairing) == nil else {
      return false
    }
    return pushObstacle(of: device) == nil
  }
}
