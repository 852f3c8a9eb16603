internal import Configuration
internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JOSE
internal import JSON
internal import PingOne
internal import TestLoop

extension TestPlatform {
  typealias Batch = Result<PushBatch, PlatformError>

  /// What a question asks for, and what is done at it when it is heard.
  struct Handling {
    let call: Call
    let effect: @EventLoop (Batch?) throws(PlatformError) -> Reply
  }

  func handling(of question: Question) throws(PlatformError) -> Handling {
    let body = question.body
    let place = question.device.flatMap { devices[$0]?.geography } ?? .northAmerica
    switch (question.method, question.path.first, question.path.dropFirst().first, question.path.last) {
    case (.post, "trust", nil, _):
      return Handling(call: .trust) { _ throws(PlatformError) in try self.trust(question) }
    case (.post, "keys", nil, _):
      return known(.rotateKeys, question) { device, keys throws(PlatformError) in
        try self.rotate(device, provenBy: keys, body)
      }
    case (.put, "push", nil, _):
      return known(.registerPush, question) { _, _ in self.setChannel(body, place) }
    case (.get, "info", nil, _):
      return known(.info(place), question) { _, _ in
        let users = (self.records[place] ?? []).map(\.json)
        return Reply(200, ["users": .array(users), "logsRequested": .bool(self.areLogsRequested)])
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
      return known(.setNickname(body["nickname"]?.string ?? ""), question) { _, _ in Reply(204) }
    case (.delete, "users", let user?, _):
      return known(.unpair(user), question) { device, _ in
        self.end(Binding(device: device, user: user))
        return Reply(204)
      }
    case (.post, "push-test", nil, _):
      return known(.testPush, question) { _, _ in Reply(200, ["id": .string("test-\(self.calls.count)")]) }
    case (.post, "logs", nil, _):
      return known(.sendLogs, question) { _, _ in
        self.reports.append(body["text"]?.string ?? "")
        self.areLogsRequested = false
        return Reply(200, ["supportId": .string("support-\(self.reports.count)")])
      }
    default: return try handlingOfRequest(question)
    }
  }

  /// What only a device that was introduced can ask for.
  func known(
    _ call: Call,
    _ question: Question,
    _ effect: @escaping @EventLoop (_ device: String, _ keys: DeviceKeys) throws(PlatformError) -> Reply
  ) -> Handling {
    Handling(call: call) { _ throws(PlatformError) in
      let keys = try self.admit(question.device, question.thumbprint)
      if !question.isProven(by: keys.device) { TestLoop.violate("\(call) is not proven by its device") }
      return try effect(question.device ?? "", keys)
    }
  }

  private func trust(_ question: Question) throws(PlatformError) -> Reply {
    let body = question.body
    guard let keys = Self.keys(body), question.isProven(by: keys.device),
      question.thumbprint == keys.thumbprint, let owner = owner(keys.thumbprint),
      let geography = body["geo"]?.string.flatMap(Geography.init(rawValue:))
    else { throw .brokenDown }
    let id = device(of: owner, in: geography)
    devices[id] = Device(keys: keys, geography: geography)
    return Reply(
      200,
      [
        "deviceId": .string(id),
        "issuers": ["https://platform.example/as", "https://elsewhere.example/as"],
      ]
    )
  }

  private func rotate(
    _ device: String,
    provenBy keys: DeviceKeys,
    _ body: JSONObject
  ) throws(PlatformError) -> Reply {
    if refusesKeys { throw .refused(.failedPolicy) }
    guard let next = Self.keys(body) else { throw .brokenDown }
    for (name, key) in [("device", next.device), ("answer", next.answer)] {
      let proof = body["proofs"]?[name]?.string ?? ""
      guard (try? CompactJWS(parsing: proof).verified(with: key, allowing: [.es256])) != nil else {
        throw .brokenDown
      }
    }
    if keys.thumbprint != next.thumbprint { devices[device]?.nextKeys = next }
    return Reply()
  }

  private static func keys(_ body: JSONObject) -> DeviceKeys? {
    guard let device = body["deviceJwk"].flatMap({ try? JWK($0) }),
      let answer = body["answerJwk"].flatMap({ try? JWK($0) })
    else { return nil }
    return DeviceKeys(device: device, answer: answer)
  }

  private func setChannel(_ body: JSONObject, _ geography: Geography) -> Reply {
    let channel = Channel(
      geography: geography,
      provider: body["provider"]?.string.flatMap(PushProvider.init(rawValue:)),
      environment: body["environment"]?.string.flatMap(PushEnvironment.init(rawValue:)),
      isAllowed: body["allowed"]?.bool ?? false,
      token: body["token"]?.string
    )
    channels.append(channel)
    let isEnabled = channel.isAllowed && (channel.provider == .poll || channel.token != nil)
    return Reply(200, ["pushEnabled": .bool(isEnabled)])
  }
}
