import JSON

extension Tenant {
  func beginPairing(by key: IssuedPairingKey, on trusted: TrustedDevice) throws(ErrorResponse) -> MFADevice {
    guard policy.hasMobile, !policy.pairingDisabled else { throw fail(key.id, .pairingDisabled) }
    // Do not count the device itself, since pairing it again replaces its earlier pairing.
    let others = activeDevices(of: key.user).filter { $0.mobile?.device != trusted.id }
    guard others.count < mfaSettings.maximumDevices else {
      throw fail(key.id, .tooManyDevices(mfaSettings.maximumDevices))
    }
    guard let secret = try? PasscodeSecret.random(period: application.passcodeRefresh.seconds) else {
      throw .unexpected
    }
    let device = MFADevice(
      kind: .mobile,
      user: key.user,
      secret: secret,
      activation: clock.deadline(in: MobilePairing.activationSeconds),
      createdAt: clock.now,
      updatedAt: clock.now,
      mobile: MobilePairing(device: trusted.id, pairingKey: key.id)
    )
    devices.put(device)
    setStatus(.claimed, of: key.id)
    // Without passcodes, no first passcode can be checked, so activate the device now.
    if !policy.isPasscodeEnabled { activate(device) }
    return device
  }

  /// Activates a device; an earlier pairing of the same device with the same user is deleted.
  func activate(_ device: MFADevice) {
    var device = device
    device.status = .active
    device.updatedAt = clock.now
    devices.put(device)
    guard let trusted = device.mobile?.device else { return }
    for other in devices.all(by: trusted.text) where other.id != device.id && other.user == device.user {
      devices[other.id] = nil
    }
  }

  func fail(_ key: ID<IssuedPairingKey>, _ error: ErrorResponse) -> ErrorResponse {
    setStatus(.failed, of: key, failure: FailureReason(error.code, error.message))
    return error
  }

  /// Returns the response to a device about a pairing in progress.
  func pairing(_ device: MFADevice, _ user: PlatformUser, _ trusted: TrustedDevice) -> JSON {
    let obstacle = pushObstacle(of: trusted)
    let push = JSON.of([
      "type": "PUSH", "status": obstacle == nil ? "COMPLETED" : "FAILED", "errorCode": obstacle?.code,
      "errorMessage": obstacle?.message,
    ])
    let passcodes: JSON = ["type": "OTP", "status": "PENDING"]
    let oath = JSON.of([
      "secret": device.secret.base32, "algorithm": "SHA1", "digits": Application.passcodeDigits,
      "period": device.secret.period,
    ])
    return .of([
      "pairingId": device.id, "user": user.summary, "environment": self.environment.id.reference,
      "application": JSON.of(["id": application.id, "name": application.name]),
      "policy": JSON.of([
        "id": policy.id, "name": policy.name, "promptForNicknameOnPairing": policy.promptsForNickname,
      ]), "authenticators": policy.isPasscodeEnabled ? [push, passcodes] : [push],
      "oath": policy.isPasscodeEnabled ? oath : nil,
    ])
  }
}
