import EventLoop
import HTTPServer
import JSON

@EventLoop
enum AccountRoutes {
  static let routes: [Route<DeviceEndpoint>] = [
    .device("GET", "/info", info), .device("PUT", "/users/{user}/nickname", rename),
    .device("DELETE", "/users/{user}", unpair), .device("POST", "/logs", takeLogs),
  ]

  private static func info(_ call: ProvenCall) throws(ErrorResponse) -> SealedResponse {
    let sender = try call.sender()
    let pairings = call.tenant.pairings(on: sender.id)
    return SealedResponse([
      "users": pairings.compactMap { call.tenant.account($0, on: sender) },
      "logsRequested": pairings.contains { call.tenant.wantsLogs(of: $0) },
    ])
  }

  private static func rename(_ call: ProvenCall) throws(ErrorResponse) -> SealedResponse {
    var pairing = try pairing(of: call)
    pairing.nickname = try call.body.requiredText("nickname", maximum: MobilePairing.maximumNickname)
    pairing.updatedAt = call.tenant.clock.now
    call.tenant.devices.put(pairing)
    return SealedResponse(204)
  }

  private static func unpair(_ call: ProvenCall) throws(ErrorResponse) -> SealedResponse {
    call.tenant.remove(try pairing(of: call))
    return SealedResponse(204)
  }

  private static func takeLogs(_ call: ProvenCall) throws(ErrorResponse) -> SealedResponse {
    let sender = try call.sender()
    let text = try call.body.requiredText("text", maximum: 512 * 1024)
    let log = ReceivedLog(id: ID(randomText(8, of: codeAlphabet)), device: sender.id, text: text)
    call.tenant.receivedLogs.put(log)
    for var pairing in call.tenant.pairings(on: sender.id) where call.tenant.wantsLogs(of: pairing) {
      pairing.mobile?.logRequest = .received
      call.tenant.devices.put(pairing)
    }
    return SealedResponse(["supportId": log.id])
  }

  private static func pairing(of call: ProvenCall) throws(ErrorResponse) -> MFADevice {
    let sender = try call.sender()
    let user = call.id("user", of: PlatformUser.self)
    guard let pairing = call.tenant.pairings(on: sender.id).first(where: { $0.user == user }) else {
      throw .userNotPaired
    }
    return pairing
  }
}

extension Tenant {
  fileprivate func account(_ pairing: MFADevice, on device: TrustedDevice) -> JSON? {
    guard let user = users[pairing.user] else { return nil }
    let lock = lock(of: pairing).map { members(of: $0).adding(["status": "LOCKED"]) }
    let account = JSONObject(of: [
      "environment": self.environment.id.reference,
      "device": JSON.of([
        "id": pairing.id, "nickname": pairing.nickname, "pushEnabled": device.isPushEnabled, "lock": lock,
      ]), "deviceRequirementsEvaluation": requirementsEvaluation(of: device),
    ])
    return .object(user.summary.adding(account))
  }

  fileprivate func wantsLogs(of pairing: MFADevice) -> Bool {
    if case .pending(let end) = pairing.mobile?.logRequest { return !clock.isOver(end) }
    return false
  }
}

/// `PUT /push`: a device sets the channel for its pushes, or disables pushes.
enum PushChannelRoutes {
  static let routes: [Route<DeviceEndpoint>] = [.device("PUT", "/push", set)]

  @EventLoop
  private static func set(_ call: ProvenCall) throws(ErrorResponse) -> SealedResponse {
    var device = try call.sender()
    guard let provider = DevicePushChannel.Provider(rawValue: try call.body.requiredText("provider")) else {
      throw .invalid("provider", "is not a push provider")
    }
    let channel = DevicePushChannel(
      provider: provider,
      token: try call.body.text("token", maximum: 4096),
      environment: try call.body.text("environment", maximum: 32),
      isAllowed: try call.body.requiredBool("allowed")
    )
    device.push = channel
    call.tenant.trustedDevices.put(device)
    return SealedResponse(200, ["pushEnabled": .bool(channel.isEnabled)])
  }
}
