extension Tenant {
  /// Returns the user's devices that can continue an attempt, the default device first.
  func usableDevices(for authentication: DeviceAuthentication) -> [MFADevice] {
    activeDevices(of: authentication.user).filter { device in
      guard device.blockedAt == nil else { return false }
      return policy.takesPasscodes(of: device) || policy.hasMobile && canPush(to: device)
    }
  }

  func usableDevice(_ id: String, of authentication: DeviceAuthentication) throws(ErrorResponse) -> MFADevice
  {
    guard let device = usableDevices(for: authentication).first(where: { $0.id.text == id }) else {
      throw .invalid("device.id", "is not a device of the user that can be used")
    }
    return device
  }

  func selectDevice(in authentication: inout DeviceAuthentication) throws(ErrorResponse) {
    let devices = usableDevices(for: authentication)
    guard let first = devices.first else {
      let failure = FailureReason("NO_USABLE_DEVICES", "The user has no device that can be used.")
      authentication = finish(authentication, .failed, failure)
      return
    }
    let isPrompting =
      switch policy.deviceSelection {
      case .defaultToFirst: devices.count > 1 && users[authentication.user]?.deviceOrder == nil
      case .promptToSelect: devices.count > 1
      case .alwaysDisplayDevices: true
      }
    if isPrompting {
      authentication = finish(authentication, .deviceSelectionRequired)
    } else {
      try select(first, in: &authentication)
    }
  }

  /// Continues an attempt with a device: by push if pushes can reach the device, otherwise by passcode.
  func select(_ device: MFADevice, in authentication: inout DeviceAuthentication) throws(ErrorResponse) {
    if let earlier = authentication.notification { withdraw(earlier, by: .relyingParty) }
    authentication.selected = device.id
    authentication.updatedAt = clock.now
    if canPush(to: device) {
      authentication.notification = try sendPush(for: authentication, to: device).id
      authentication.status = .pushConfirmationRequired
    } else {
      authentication.notification = nil
      authentication.status = .otpRequired
    }
    authentications.put(authentication)
  }

  /// Authenticates the user by their device.
  ///
  /// If the policy requires extra verification, a silent push checks the device first.
  func authorize(_ device: MFADevice, in authentication: inout DeviceAuthentication) throws(ErrorResponse) {
    authentication.selected = device.id
    guard let strictness = policy.extraVerification else {
      authentication = finish(authentication, .completed)
      return
    }
    guard canPush(to: device) else {
      authentication = conclude(authentication, unansweredUnder: strictness)
      return
    }
    authentication.notification = try sendPush(.silent, for: authentication, to: device).id
    authentication.status = .pushConfirmationRequired
    authentications.put(authentication)
  }

  func conclude(
    _ authentication: DeviceAuthentication,
    unansweredUnder strictness: IntegrityVerdict.Strictness
  ) -> DeviceAuthentication {
    switch strictness {
    case .permissive: return finish(authentication, .completed)
    case .restrictive:
      let message = "The device did not answer the silent push in time."
      return finish(authentication, .failed, FailureReason("EXTRA_VERIFICATION_FAILED", message))
    }
  }
}
