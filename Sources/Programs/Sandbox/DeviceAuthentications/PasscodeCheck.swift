import JSON
import Time

extension Tenant {
  /// Throws if a passcode of a device is wrong or was used before.
  ///
  /// After too many wrong passcodes in a row, the device accepts no passcodes for a time.
  func checkPasscode(_ passcode: String, of device: MFADevice) throws(ErrorResponse) {
    var device = device
    if let lock = device.passcodeLock {
      guard clock.isOver(lock) else { throw .passcodesLocked(until: clock.instant(of: lock)) }
      device.passcodeLock = nil
      device.passcodeFailures = 0
    }
    let limit = policy.passcodeLimit(of: device)
    if case .valid(let window) = try verdict(on: passcode, of: device), !device.usedWindows.contains(window) {
      device.passcodeFailures = 0
      device.usedWindows.insert(window)
      // Forget windows before the grace period, since their passcodes are no longer valid.
      let oldest = device.secret.window(at: clock.passcodeTime) - graceWindows(of: device)
      device.usedWindows = device.usedWindows.filter { $0 >= oldest }
      devices.put(device)
      return
    }
    device.passcodeFailures += 1
    let remaining = limit.count - device.passcodeFailures
    if remaining <= 0 {
      device.passcodeLock = clock.deadline(in: limit.coolDown.seconds)
    }
    devices.put(device)
    countFailure(of: device.user)
    guard remaining > 0 else {
      throw .passcodesLocked(until: clock.now.adding(seconds: limit.coolDown.seconds))
    }
    let (reason, inner) = (
      "The passcode is wrong or was used before.", JSON.of(["attemptsRemaining": remaining])
    )
    throw .invalid("otp", reason, code: "INVALID_OTP", innerError: inner)
  }

  func checkPasscode(_ passcode: String, in authentication: DeviceAuthentication) throws(ErrorResponse)
    -> DeviceAuthentication
  {
    guard let device = authentication.selected.flatMap({ devices[$0] }) else {
      throw .invalidRequest("A device has to be selected first.")
    }
    guard policy.takesPasscodes(of: device) else {
      throw .invalidRequest("The policy does not allow passcodes.")
    }
    if let lock = users[authentication.user].flatMap({ lockout(of: $0) }) {
      throw .accountLocked.with(members(of: lock))
    }
    try checkPasscode(passcode, of: device)
    if let push = authentication.notification { withdraw(push, by: .passcode) }
    return finish(authentication, .completed)
  }

  func verdict(on passcode: String, of device: MFADevice) throws(ErrorResponse) -> PasscodeSecret.Verdict {
    let (grace, time) = (graceWindows(of: device), clock.passcodeTime)
    guard let verdict = try? device.secret.check(passcode, at: time, grace: grace) else { throw .unexpected }
    return verdict
  }

  private func graceWindows(of device: MFADevice) -> Int {
    device.mobile == nil ? policy.totpGraceWindows : application.passcodeGraceWindows
  }
}

extension ErrorResponse {
  fileprivate static func passcodesLocked(until end: Timestamp) -> ErrorResponse {
    let (code, reason) = ("OneTimePasscodeRetriesExceeded", "Passcodes of the device are temporarily locked.")
    return .invalid("otp", reason, code: code, innerError: ["coolDownExpiresAt": end.json])
  }
}
