import JSON

extension Tenant {
  func beginPairing(by key: PairingKey, on trusted: TrustedDevice) throws(Refusal) -> MFADevice {
    let policy = policy(key.policy)
    let rules = policy.rules(for: trusted.application)
    guard policy.hasMobile, !rules.pairingDisabled else { throw fail(key.id, .pairingDisabled) }
    // The device itself does not count: its user has it once, however often it is paired.
    let others = activeDevices(of: key.user).filter { $0.mobile?.device != trusted.id }
    guard others.count < self.mfaSettings.maximumDevices else {
      throw fail(key.id, .tooManyDevices(self.mfaSettings.maximumDevices))
    }
    let settings = application(of: trusted).settings
    guard let secret = try? PasscodeSecret.random(period: settings.passcodeRefresh.seconds) else {
      throw .unexpected
    }
    let device = MFADevice(
      kind: .mobile,
      user: key.user,
      policy: policy.id,
      secret: secret,
      activation: clock.deadline(in: MobilePairing.activationSeconds),
      createdAt: clock.now,
      updatedAt: clock.now,
      mobile: MobilePairing(device: trusted.id, pairingKey: key.id, application: trusted.application)
    )
    devices.put(device)
    setStatus(.claimed, of: key.id)
    // Without passcodes there is none to be checked first.
    if !rules.isPasscodeEnabled { activate(device) }
    return device
  }

  /// Puts a device in force; a user who pairs the same one again has it once.
  func activate(_ device: MFADevice) {
    var device = device
    device.status = .active
    device.updatedAt = clock.now
    devices.put(device)
    audit(.devicePaired, device, "The device was paired.")
    guard let trusted = device.mobile?.device else { return }
    for other in devices.all(by: trusted.text) where other.id != device.id && other.user == device.user {
      devices[other.id] = nil
    }
  }

  func takesPasscodes(of device: MFADevice) -> Bool {
    policy(device.policy).takesPasscodes(of: device)
  }

  func fail(_ key: ID<PairingKey>, _ error: Refusal) -> Refusal {
    setStatus(.failed, of: key, failure: Failure(error.code, error.message))
    audit(.devicePairingFailed, user: pairingKeys[key]?.user, error.message)
    return error
  }

  /// What a device is told about a pairing that has begun.
  func pairing(_ device: MFADevice, _ user: User, _ trusted: TrustedDevice) -> JSON {
    let policy = policy(device.policy)
    let application = application(of: trusted)
    let rules = policy.rules(for: application.id)
    let obstacle = pushObstacle(of: trusted, rules)
    let push = JSON.of([
      "type": "PUSH", "status": obstacle == nil ? "COMPLETED" : "FAILED", "errorCode": obstacle?.code,
      "errorMessage": obstacle?.message,
    ])
    let passcodes: JSON = ["type": "OTP", "status": "PENDING"]
    let oath = device.secret.map { secret in
      JSON.of([
        "secret": secret.base32, "algorithm": "SHA1", "digits": MobileSettings.passcodeDigits,
        "period": secret.period,
      ])
    }
    return .of([
      "pairingId": device.id, "user": user.summary, "environment": self.environment.id.reference,
      "application": JSON.of(["id": application.id, "name": application.name]),
      "policy": JSON.of([
        "id": policy.id, "name": policy.name, "promptForNicknameOnPairing": policy.promptsForNickname,
      ]), "authenticators": rules.isPasscodeEnabled ? [push, passcodes] : [push],
      "oath": rules.isPasscodeEnabled ? oath : nil,
    ])
  }
}
