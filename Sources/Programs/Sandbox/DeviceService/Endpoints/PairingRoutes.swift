import EventLoop
import HTTPServer
import JSON

@EventLoop
enum PairingRoutes {
  static let routes: [Route<DeviceEndpoint>] = [
    .device("POST", "/pairings", pair), .device("POST", "/pairings/{pairing}/otp", activate),
  ]

  private static func pair(_ call: ProvenCall) throws(ErrorResponse) -> SealedResponse {
    let (tenant, sender) = (call.tenant, try call.sender())
    let code = try call.body.requiredText("pairingKey", maximum: 64)
    let geography = PlatformGeography.allCases.first { code.hasPrefix($0.prefix) }
    if let geography, geography != sender.geography { throw .wrongGeography(geography) }
    guard let key = tenant.pairingKeys.all(by: code).first, let user = tenant.users[key.user]
    else { throw .pairingKeyRefused }
    // Repeat the response, since the response to the first request may have been lost.
    if let begun = tenant.devices.all(by: sender.id.text).first(where: {
      $0.mobile?.pairingKey == key.id
    }), begun.status == .activationRequired || !tenant.policy.takesPasscodes(of: begun),
      !tenant.clock.isOver(begun.activation)
    {
      return SealedResponse(201, tenant.pairing(begun, user, sender))
    }
    guard key.status == .unclaimed, !tenant.clock.isOver(key.deadline) else { throw .pairingKeyRefused }
    let device = try tenant.beginPairing(by: key, on: sender)
    return SealedResponse(201, tenant.pairing(device, user, sender))
  }

  private static func activate(_ call: ProvenCall) throws(ErrorResponse) -> SealedResponse {
    let (tenant, sender) = (call.tenant, try call.sender())
    guard var device = tenant.devices[call.id("pairing", of: MFADevice.self)], var mobile = device.mobile,
      mobile.device == sender.id
    else { throw .notFound }
    let passcode = try call.body.requiredText("otp", maximum: 16)
    let answer = SealedResponse(200, ["status": .string(MFADevice.Status.active.rawValue)])
    // Repeat the response without a check: the first response may have been lost, and the device is proved.
    if device.status == .active { return answer }
    guard !tenant.clock.isOver(device.activation) else { throw tenant.fail(device, .passcodeExpired) }
    let verdict = try tenant.verdict(on: passcode, of: device)
    guard case .valid = verdict else {
      mobile.activationTriesLeft -= 1
      device.mobile = mobile
      tenant.devices.put(device)
      guard mobile.activationTriesLeft > 0 else { throw tenant.fail(device, .passcodeRetriesExceeded) }
      throw verdict == .wrongTime
        ? .clockUnsynchronized : .passcodeInvalid(triesLeft: mobile.activationTriesLeft)
    }
    // The activation passcode stays valid, since the owner's first passcode may be from the same window.
    tenant.activate(device)
    return answer
  }
}

extension Tenant {
  fileprivate func fail(_ device: MFADevice, _ error: ErrorResponse) -> ErrorResponse {
    devices[device.id] = nil
    return device.mobile.map { fail($0.pairingKey, error) } ?? error
  }
}
