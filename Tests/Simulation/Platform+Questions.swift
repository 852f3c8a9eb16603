internal import CourierProtocol
internal import EventLoop
internal import JOSE
internal import JSON
internal import OATH
internal import OATHExports
internal import OpenSSL
internal import PlatformWire
internal import Time

extension Platform {
  /// Executes a request after the platform has excluded a replay.
  func take(
    _ question: PlatformRequest,
    _ sentAt: Duration,
    _ answer: @escaping @EventLoop (PlatformReply) -> Void
  ) {
    world.detail(
      "\(question.device ?? "a device") asks \(question.method) \(question.path) \(question.query)"
    )
    if let device = question.device { judge.hearsFrom(device, sentAt: sentAt) }
    if question.path == ["trust"] { return answer(trust(question)) }
    guard let id = question.device, let keys = admit(id, question) else { return answer(.deviceUnknown) }
    // A refused request has no effect.
    if question.method != .get, world.happens(world.weather.refused) {
      if question.path.count > 1 {
        judge.takesBack(question.path[1])
        state.begun[question.path[1]]?.wasRefused = true
      }
      return answer(PlatformReply(400, ["code": "FAILED_POLICY_REQUIREMENTS"]))
    }
    let (body, path) = (question.body, question.path)
    switch (question.method, path.first, path.dropFirst().first, path.last) {
    case (.get, "notifications", nil, _): poll(question, of: id, answer)
    case (.get, "notifications", let push?, _): answer(standing(of: push))
    case (.post, "notifications", let push?, "answer"):
      answer(decide(push, keys.decision(body, signedBy: \.answer), from: id, sentAt))
    case (.post, "authentication-codes", let code?, "claim"): answer(claim(code, by: id))
    case (.post, "authentication-codes", let request?, "answer"):
      answer(decideCode(request, keys.decision(body, signedBy: \.answer), from: id, sentAt))
    case (.post, "keys", nil, _): answer(rotate(id, body))
    case (.put, "push", nil, _): answer(PlatformReply(200, ["pushEnabled": true]))
    case (.get, "info", nil, _): answer(info(id))
    case (.post, "pairings", nil, _): answer(pair(id, body["pairingKey"]?.string ?? ""))
    case (.post, "pairings", let pairing?, "otp"): answer(check(body["otp"]?.string ?? "", of: pairing))
    case (.put, "users", _?, "nickname"): answer(PlatformReply(204))
    case (.delete, "users", let user?, _):
      state.devices[id]?.users[user] = nil
      answer(PlatformReply(204))
    default:
      world.violate("the platform is asked for \(question.method) \(path)")
      answer(PlatformReply(404))
    }
  }

  /// Returns the keys of a device that proves possession of its key.
  private func admit(_ id: String, _ question: PlatformRequest) -> DeviceKeys? {
    guard let keys = state.devices[id]?.keys.keys(question.thumbprint), question.isProven(by: keys.device)
    else {
      return nil
    }
    return state.devices[id]?.keys.admit(question.thumbprint)
  }

  private func trust(_ question: PlatformRequest) -> PlatformReply {
    guard let keys = DeviceKeys(question.body), question.isProven(by: keys.device) else {
      return PlatformReply(400)
    }
    let known = state.devices.first { $0.value.keys.current.thumbprint == keys.thumbprint }?.key
    let id = known ?? nextID("d")
    if known == nil { state.devices[id] = Device(keys: DeviceKeyRing(keys)) }
    return PlatformReply(200, ["deviceId": .string(id), "issuers": ["https://platform.example/as"]])
  }

  private func rotate(_ device: String, _ body: JSONObject) -> PlatformReply {
    guard let next = DeviceKeys(body) else { return PlatformReply(400) }
    state.devices[device]?.keys.rotate(to: next)
    return PlatformReply()
  }

  // MARK: Pairing

  private func info(_ id: String) -> PlatformReply {
    let users = (state.devices[id]?.users ?? [:]).sorted { $0.key < $1.key }.map { user, _ in
      [
        "user": ["id": .string(user), "username": .string(user)],
        "environment": ["id": .string(Self.environment)],
        "device": ["id": .string("m-" + user), "pushEnabled": true],
      ] as JSON
    }
    return PlatformReply(200, ["users": .array(users), "logsRequested": false])
  }

  private func pair(_ device: String, _ key: String) -> PlatformReply {
    guard let enrolment = state.enrolments[key] else {
      return PlatformReply(400, ["code": "INVALID_PAIRING_KEY"])
    }
    let id = "pairing-\(key)"
    if let begun = state.begun[id], begun.isOver || begun.device != device {
      return PlatformReply(400, ["code": "INVALID_PAIRING_KEY"])
    }
    state.begun[id] = Begun(device: device, enrolment: enrolment)
    return PlatformReply(
      201,
      [
        "pairingId": .string(id),
        "user": ["id": .string(enrolment.user), "username": .string(enrolment.user)],
        "environment": ["id": .string(Self.environment)],
        "authenticators": [["type": "PUSH", "status": "COMPLETED"]],
        "oath": [
          "secret": .string(Base32.encode(enrolment.secret)), "algorithm": "SHA1", "digits": 6,
          "period": 30,
        ],
      ]
    )
  }

  private func check(_ passcode: String, of pairing: String) -> PlatformReply {
    guard let begun = state.begun[pairing] else { return PlatformReply(404, ["code": "NOT_FOUND"]) }
    // The response to the first check may have been lost. A repetition has no effect.
    if begun.isOver { return PlatformReply(200, ["status": "COMPLETED"]) }
    let totp = TOTP(
      secret: Secret(copying: begun.enrolment.secret),
      algorithm: .sha1,
      digits: 6,
      period: 30
    )
    let window = totp.window(at: world.clock.truth)
    let isRight = (window - 6...window + 1).contains { (try? totp.passcode(window: $0)) == passcode }
    let others = state.devices[begun.device]?.users.values.filter { $0.owner != begun.enrolment.owner } ?? []
    if !others.isEmpty { world.violate("\(begun.device) is that of two owners") }
    // A user without valid passcodes can still sign on by pushes.
    state.begun[pairing]?.isOver = true
    state.devices[begun.device]?.users[begun.enrolment.user] = begun.enrolment
    guard isRight else { return PlatformReply(400, ["code": "InvalidOneTimePasscode"]) }
    return PlatformReply(200, ["status": "COMPLETED"])
  }
}
