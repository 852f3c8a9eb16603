import JSON
import Time

extension Tenant {
  /// Takes a passcode of a device, each once; too many wrong ones in a row close the device for passcodes for a time.
  func checkPasscode(_ passcode: String, of device: MFADevice) throws(Refusal) {
    var device = device
    if let lock = device.passcodeLock {
      guard clock.isOver(lock) else { throw .passcodesLocked(until: clock.instant(of: lock)) }
      device.passcodeLock = nil
      device.passcodeFailures = 0
    }
    guard let secret = device.secret else { throw .invalidRequest("The device has no passcodes.") }
    let limit = policy(device.policy).passcodeLimit(of: device)
    if case .valid(let window) = try verdict(on: passcode, of: device), !device.usedWindows.contains(window) {
      device.passcodeFailures = 0
      device.usedWindows.insert(window)
      // Windows outside the grace period cannot come again.
      let oldest = secret.window(at: clock.passcodeTime) - graceWindows(of: device)
      device.usedWindows = device.usedWindows.filter { $0 >= oldest }
      devices.put(device)
      return
    }
    device.passcodeFailures += 1
    let remaining = limit.count - device.passcodeFailures
    if remaining <= 0 {
      device.passcodeLock = clock.deadline(in: limit.coolDown.seconds)
      audit(.deviceLocked, device, "Too many passcodes were wrong.")
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

  func checkPasscode(_ passcode: String, in authentication: DeviceAuthentication) throws(Refusal)
    -> DeviceAuthentication
  {
    let (device, policy) = (authentication.selected.flatMap { devices[$0] }, policy(authentication.policy))
    guard device != nil || authentication.sentCode != nil else {
      throw .invalidRequest("A device has to be selected first.")
    }
    if let device, !policy.takesPasscodes(of: device) {
      throw .invalidRequest("The policy takes no passcodes.")
    }
    if let lock = users[authentication.user].flatMap({ lockout(of: $0, under: policy) }) {
      throw .accountLocked.with(members(of: lock))
    }
    if authentication.sentCode != nil {
      try checkSentCode(passcode, in: authentication)
    } else if let device {
      try checkPasscode(passcode, of: device)
    }
    if let push = authentication.notification { withdraw(push, by: .passcode) }
    return finish(authentication, .completed)
  }

  private func checkSentCode(_ passcode: String, in authentication: DeviceAuthentication) throws(Refusal) {
    var code = authentication.sentCode
    do { try check(passcode, against: &code, "otp", "INVALID_OTP") } catch {
      authentications[authentication.id]?.sentCode = code
      countFailure(of: authentication.user)
      throw error
    }
  }

  func verdict(on passcode: String, of device: MFADevice) throws(Refusal) -> PasscodeSecret.Verdict {
    let (grace, time) = (graceWindows(of: device), clock.passcodeTime)
    guard let verdict = try? device.secret?.check(passcode, at: time, grace: grace) else { throw .unexpected }
    return verdict
  }

  private func graceWindows(of device: MFADevice) -> Int {
    guard let mobile = device.mobile else { return policy(device.policy).rules(of: device.kind).graceWindows }
    return (applications[mobile.application] ?? application).settings.passcodeGraceWindows
  }
}

extension Refusal {
  fileprivate static func passcodesLocked(until end: Timestamp) -> Refusal {
    let (code, reason) = ("OneTimePasscodeRetriesExceeded", "The device takes no passcodes for a while.")
    return .invalid("otp", reason, code: code, innerError: ["coolDownExpiresAt": end.json])
  }
}
