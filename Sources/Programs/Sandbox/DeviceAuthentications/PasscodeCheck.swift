import JSON
import Time

extension Tenant {
  /// Takes a passcode of a device, each once; too many wrong ones in a row close the device for passcodes for a time.
  func checkPasscode(_ passcode: String, of device: MobileDevice) throws(Refusal) {
    var device = device
    if let lock = device.passcodeLock {
      guard clock.isOver(lock) else { throw .passcodesLocked(until: clock.instant(of: lock)) }
      device.passcodeLock = nil
      device.passcodeFailures = 0
    }
    let rules = policy(device.policy)
    if case .valid(let window) = try verdict(on: passcode, of: device), !device.usedWindows.contains(window) {
      device.passcodeFailures = 0
      device.usedWindows.insert(window)
      // Windows outside the grace period cannot come again.
      let oldest = device.secret.window(at: clock.now) - graceWindows(of: device)
      device.usedWindows = device.usedWindows.filter { $0 >= oldest }
      devices.put(device)
      return
    }
    device.passcodeFailures += 1
    let remaining = rules.passcodeFailures - device.passcodeFailures
    if remaining <= 0 {
      device.passcodeLock = clock.deadline(in: rules.passcodeCoolDown.seconds)
      audit(.deviceLocked, device, "Too many passcodes were wrong.")
    }
    devices.put(device)
    countFailure(of: device.user)
    guard remaining > 0 else {
      throw .passcodesLocked(until: clock.now.adding(seconds: rules.passcodeCoolDown.seconds))
    }
    let (reason, inner) = (
      "The passcode is wrong or was used before.", JSON.of(["attemptsRemaining": remaining])
    )
    throw .invalid("otp", reason, code: "INVALID_OTP", innerError: inner)
  }

  func checkPasscode(_ passcode: String, in authentication: DeviceAuthentication) throws(Refusal)
    -> DeviceAuthentication
  {
    guard let device = authentication.selected.flatMap({ devices[$0] }) else {
      throw .invalidRequest("A device has to be selected first.")
    }
    let policy = policy(authentication.policy)
    guard policy.rules(for: device.application).isPasscodeEnabled else {
      throw .invalidRequest("The policy takes no passcodes.")
    }
    if let lock = users[device.user].flatMap({ lockout(of: $0, under: policy) }) {
      throw .accountLocked.with(members(of: lock))
    }
    try checkPasscode(passcode, of: device)
    if let push = authentication.notification { withdraw(push, by: .passcode) }
    return finish(authentication, .completed)
  }

  func verdict(on passcode: String, of device: MobileDevice) throws(Refusal) -> PasscodeSecret.Verdict {
    let grace = graceWindows(of: device)
    do { return try device.secret.check(passcode, at: clock.now, grace: grace) } catch { throw .unexpected }
  }

  private func graceWindows(of device: MobileDevice) -> Int {
    (applications[device.application] ?? application).settings.passcodeGraceWindows
  }
}

extension Refusal {
  fileprivate static func passcodesLocked(until end: Timestamp) -> Refusal {
    let (code, reason) = ("OneTimePasscodeRetriesExceeded", "The device takes no passcodes for a while.")
    return .invalid("otp", reason, code: code, innerError: ["coolDownExpiresAt": end.json])
  }
}
