import EventLoop
import HTTPServer
import JSON

/// `POST /pairings` and the check of a pairing's first passcode.
enum PairingRoutes {
  static let routes: [Route<DeviceEndpoint>] = [
    .device("POST", "/pairings", pair),
    .device("POST", "/pairings/{pairing}/otp", activate),
  ]

  @EventLoop
  private static func pair(_ call: DeviceCall) throws(PingOneError) -> SealedAnswer {
    let tenant = call.tenant
    let sender = try call.sender()
    let code = try call.body.requiredText("pairingKey", maximum: 64)
    if let geography = Geography(pairingKey: code), geography != sender.geography {
      throw .wrongGeography(geography)
    }
    guard let key = tenant.pairingKeys.first(where: { $0.code == code }),
      let user = tenant.users[key.user]
    else { throw .pairingKeyRefused }
    // The answer to the first request may have been lost.
    if let begun = tenant.devices.first(where: { $0.pairingKey == key.id && $0.device == sender.id }),
      begun.status == .activationRequired || !tenant.takesPasscodes(of: begun),
      !tenant.clock.isOver(begun.activation)
    {
      return SealedAnswer(201, tenant.pairing(begun, user, sender))
    }
    guard key.status == .unclaimed, !tenant.clock.isOver(key.deadline) else { throw .pairingKeyRefused }
    guard key.applications.isEmpty || key.applications.contains(sender.application) else {
      throw .otherApplication
    }
    let device = try tenant.beginPairing(by: key, on: sender)
    return SealedAnswer(201, tenant.pairing(device, user, sender))
  }

  @EventLoop
  private static func activate(_ call: DeviceCall) throws(PingOneError) -> SealedAnswer {
    let tenant = call.tenant
    let sender = try call.sender()
    guard var device = tenant.devices[call.id("pairing", of: MobileDevice.self)], device.device == sender.id
    else { throw .notFound }
    let passcode = try call.body.requiredText("otp", maximum: 16)
    let answer = SealedAnswer(200, ["status": .string(MobileDevice.Status.active.rawValue)])
    // The answer to the first check may have been lost; who asks is the device itself.
    if device.status == .active { return answer }
    guard !tenant.clock.isOver(device.activation) else { throw tenant.fail(device, .passcodeExpired) }
    let grace = tenant.graceWindows(of: device)
    guard let verdict = try? device.secret.check(passcode, at: tenant.clock.now, grace: grace) else {
      throw .unexpected
    }
    guard case .valid = verdict else {
      device.activationTriesLeft -= 1
      tenant.devices.put(device)
      guard device.activationTriesLeft > 0 else { throw tenant.fail(device, .passcodeRetriesExceeded) }
      throw verdict == .wrongTime
        ? .clockUnsynchronized : .passcodeInvalid(triesLeft: device.activationTriesLeft)
    }
    // The proof of a new secret is the device's own and uses no window up: its owner's first passcode may be of
    // the same one.
    tenant.activate(device)
    return answer
  }
}

extension Tenant {
  /// Ends a pairing that cannot be completed any more.
  fileprivate func fail(_ device: MobileDevice, _ error: PingOneError) -> PingOneError {
    devices[device.id] = nil
    return fail(device.pairingKey, error)
  }
}

extension PingOneError {
  /// The key is unknown, used, expired or withdrawn: which of these is nobody's business who cannot use it.
  fileprivate static let pairingKeyRefused = PingOneError(
    status: 404,
    code: "INVALID_PAIRING_KEY",
    message: "The pairing key is not valid."
  )

  /// The key is for another app than the one on the device.
  fileprivate static let otherApplication = PingOneError(
    status: 400,
    code: "INVALID_PAIRING_KEY",
    message: "The pairing key is not valid.",
    details: [
      Detail(code: "BUNDLE_ID", target: "pairingKey", message: "the pairing key is for another application")
    ]
  )

  fileprivate static func wrongGeography(_ geography: Geography) -> PingOneError {
    PingOneError(
      status: 421,
      code: "PAIRING_KEY_DATA_CENTER_MISMATCH",
      message: "The pairing key belongs to another geography.",
      extra: ["geo": .string(geography.rawValue)]
    )
  }

  fileprivate static func passcodeInvalid(triesLeft: Int) -> PingOneError {
    PingOneError(
      status: 400,
      code: "InvalidOneTimePasscode",
      message: "The passcode is wrong.",
      extra: ["triesLeft": .int(triesLeft)]
    )
  }

  fileprivate static let passcodeRetriesExceeded = PingOneError(
    status: 400,
    code: "OneTimePasscodeRetriesExceeded",
    message: "The passcode was wrong too often; pairing has to begin again."
  )

  fileprivate static let passcodeExpired = PingOneError(
    status: 400,
    code: "OneTimePasscodeExpired",
    message: "The time for the passcode is over; pairing has to begin again."
  )

  fileprivate static let clockUnsynchronized = PingOneError(
    status: 400,
    code: "UnSynchronizedClock",
    message: "The passcode is one of another time; the device's clock is wrong."
  )
}
