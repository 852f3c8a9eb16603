extension Tenant {
  /// The devices of a user by which an attempt can go on, the default one first.
  func usableDevices(for authentication: DeviceAuthentication) -> [MFADevice] {
    let policy = policy(authentication.policy)
    return activeDevices(of: authentication.user).filter { device in
      guard device.blockedAt == nil else { return false }
      return policy.takesPasscodes(of: device) || policy.hasMobile && canPush(to: device, under: policy)
    }
  }

  func usableDevice(_ id: String, of authentication: DeviceAuthentication) throws(Refusal) -> MFADevice {
    guard let device = usableDevices(for: authentication).first(where: { $0.id.text == id }) else {
      throw .invalid("device.id", "is not a device of the user that can be used")
    }
    return device
  }

  func selectDevice(in authentication: inout DeviceAuthentication) throws(Refusal) {
    let devices = usableDevices(for: authentication)
    guard let first = devices.first else {
      let failure = Failure("NO_USABLE_DEVICES", "The user has no device that can be used.")
      authentication = finish(authentication, .failed, failure)
      return
    }
    let isPrompting =
      switch policy(authentication.policy).deviceSelection {
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

  /// Goes on with a device: by push when it takes pushes, else by passcode, which some have to be sent.
  func select(_ device: MFADevice, in authentication: inout DeviceAuthentication) throws(Refusal) {
    if let earlier = authentication.notification { withdraw(earlier, by: .relyingParty) }
    authentication.selected = device.id
    authentication.updatedAt = clock.now
    authentication.sentCode = nil
    let policy = policy(authentication.policy)
    if canPush(to: device, under: policy) {
      authentication.notification = try sendPush(for: authentication, to: device).id
      authentication.status = .pushConfirmationRequired
    } else {
      authentication.notification = nil
      authentication.status = .otpRequired
      authentication.sentCode = device.recipient.map {
        sendCode(.authentication, to: $0, of: device.user, by: device.kind, under: policy)
      }
    }
    authentications.put(authentication)
  }

  /// Lets a device stand in for its user, after it was asked by a silent push where the policy wants that.
  func authorize(_ device: MFADevice, in authentication: inout DeviceAuthentication) throws(Refusal) {
    let policy = policy(authentication.policy)
    authentication.selected = device.id
    let rules = device.mobile.map { policy.rules(for: $0.application) }
    guard let strictness = rules?.extraVerification else {
      authentication = finish(authentication, .completed)
      return
    }
    guard canPush(to: device, under: policy) else {
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
      let message = "The device did not show in time that it is there."
      return finish(authentication, .failed, Failure("EXTRA_VERIFICATION_FAILED", message))
    }
  }
}
