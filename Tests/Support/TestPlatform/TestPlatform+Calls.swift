internal import Configuration
internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JOSE
internal import JSON
internal import PingOne
internal import PlatformWire
internal import TestLoop

extension TestPlatform {
  typealias Batch = Result<PushBatch, PlatformError>

  /// The call of a request, and its effect when the platform receives it.
  struct Handling {
    let call: Call
    let effect: @EventLoop (Batch?) throws(PlatformError) -> PlatformReply
  }

  func handling(of question: PlatformRequest) throws(PlatformError) -> Handling {
    let body = question.body
    let place = question.device.flatMap { devices[$0]?.geography } ?? .northAmerica
    switch (question.method, question.path.first, question.path.dropFirst().first, question.path.last) {
    case (.post, "trust", nil, _):
      return Handling(call: .trust) { _ throws(PlatformError) in try self.trust(question) }
    case (.post, "keys", nil, _):
      return known(.rotateKeys, question) { device, _ throws(PlatformError) in
        try self.rotate(device, body)
      }
    case (.put, "push", nil, _):
      return known(.registerPush, question) { _, _ in self.setChannel(body, place) }
    case (.get, "info", nil, _):
      return known(.info(place), question) { _, _ in
        let users = (self.records[place] ?? []).map(\.json)
        return PlatformReply(200, ["users": .array(users), "logsRequested": .bool(self.areLogsRequested)])
      }
    case (.post, "pairings", nil, _):
      let key = body["pairingKey"]?.string ?? ""
      return known(.pair(key), question) { device, _ throws(PlatformError) in
        try self.pair(device, key, place)
      }
    case (.post, "pairings", let pairing?, "otp"):
      return known(.checkPasscode, question) { _, _ throws(PlatformError) in
        try self.check(body["otp"]?.string ?? "", of: pairing)
      }
    case (.put, "users", _?, "nickname"):
      return known(.setNickname(body["nickname"]?.string ?? ""), question) { _, _ in PlatformReply(204) }
    case (.delete, "users", let user?, _):
      return known(.unpair(user), question) { device, _ in
        self.end(Binding(device: device, user: user))
        return PlatformReply(204)
      }
    case (.post, "push-test", nil, _):
      return known(.testPush, question) { _, _ in
        PlatformReply(200, ["id": .string("test-\(self.calls.count)")])
      }
    case (.post, "logs", nil, _):
      return known(.sendLogs, question) { _, _ in
        self.reports.append(body["text"]?.string ?? "")
        self.areLogsRequested = false
        return PlatformReply(200, ["supportId": .string("support-\(self.reports.count)")])
      }
    default: return try handlingOfRequest(question)
    }
  }

  /// Handles a call that requires a registered device.
  func known(
    _ call: Call,
    _ question: PlatformRequest,
    _ effect:
      @escaping @EventLoop (_ device: String, _ keys: DeviceKeys) throws(PlatformError) -> PlatformReply
  ) -> Handling {
    Handling(call: call) { _ throws(PlatformError) in
      let keys = try self.admit(question.device, question.thumbprint)
      if !question.isProven(by: keys.device) { TestLoop.violate("\(call) is not proven by its device") }
      return try effect(question.device ?? "", keys)
    }
  }

  private func trust(_ question: PlatformRequest) throws(PlatformError) -> PlatformReply {
    let body = question.body
    guard let keys = DeviceKeys(body), question.isProven(by: keys.device),
      question.thumbprint == keys.thumbprint, let owner = owner(keys.thumbprint),
      let geography = body["geo"]?.string.flatMap(Geography.init(rawValue:))
    else { throw .brokenDown }
    let id = device(of: owner, in: geography)
    devices[id] = Device(keys: DeviceKeyRing(keys), geography: geography)
    return PlatformReply(
      200,
      [
        "deviceId": .string(id),
        "issuers": ["https://platform.example/as", "https://elsewhere.example/as"],
      ]
    )
  }

  private func rotate(
    _ device: String,
    _ body: JSONObject
  ) throws(PlatformError) -> PlatformReply {
    if refusesKeys { throw .refused(.failedPolicy) }
    guard let next = DeviceKeys(body) else { throw .brokenDown }
    for (name, key) in [("device", next.device), ("answer", next.answer)] {
      let proof = body["proofs"]?[name]?.string ?? ""
      guard (try? CompactJWS(parsing: proof).verified(with: key, allowing: [.es256])) != nil else {
        throw .brokenDown
      }
    }
    devices[device]?.keys.rotate(to: next)
    return PlatformReply()
  }

  private func setChannel(_ body: JSONObject, _ geography: Geography) -> PlatformReply {
    let channel = Channel(
      geography: geography,
      provider: body["provider"]?.string.flatMap(PushProvider.init(rawValue:)),
      environment: body["environment"]?.string.flatMap(PushEnvironment.init(rawValue:)),
      isAllowed: body["allowed"]?.bool ?? false,
      token: body["token"]?.string
    )
    channels.append(channel)
    let isEnabled = channel.isAllowed && (channel.provider == .poll || channel.token != nil)
    return PlatformReply(200, ["pushEnabled": .bool(isEnabled)])
  }
}
