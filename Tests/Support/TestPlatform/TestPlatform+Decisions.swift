internal import Approvals
internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JOSE
internal import JSON
internal import PingOne
internal import PlatformWire
internal import Time

extension TestPlatform {
  /// Handles requests about pushes and codes.
  func handlingOfRequest(_ question: PlatformRequest) throws(PlatformError) -> Handling {
    let body = question.body
    switch (question.method, question.path.first, question.path.dropFirst().first, question.path.last) {
    case (.get, "notifications", nil, _):
      return Handling(call: .pushes(cursor: question.query["after"])) { batch throws(PlatformError) in
        _ = try self.admit(question.device, question.thumbprint)
        return try Self.reply(batch)
      }
    case (.get, "notifications", let push?, _):
      return known(.status(push), question) { _, _ in
        PlatformReply(200, ["status": .string((self.outcomes[push] ?? .pending).rawValue)])
      }
    case (.post, "notifications", let push?, "answer"):
      return known(.answer(push), question) { _, keys throws(PlatformError) in
        self.postures.append(body["posture"] ?? .null)
        return try self.decide(push, Self.claims(body, keys))
      }
    case (.post, "authentication-codes", let code?, "claim"):
      return known(.claim(code), question) { _, _ in
        self.claim(code, waitsForOwner: body["userApproval"] == "REQUIRED")
      }
    case (.post, "authentication-codes", let request?, "answer"):
      return known(.answerCode(request), question) { _, keys throws(PlatformError) in
        self.decide(code: request, try Self.claims(body, keys))
      }
    default: throw .brokenDown
    }
  }

  private static func reply(_ batch: Batch?) throws(PlatformError) -> PlatformReply {
    guard let batch = try batch?.get() else { throw .brokenDown }
    guard !batch.isCursorUnknown else { return PlatformReply(410) }
    return PlatformReply(
      200,
      [
        "notifications": .strings(batch.pushes), "cursor": .string(batch.cursor),
        "more": .bool(batch.hasMore),
      ]
    )
  }

  private func decide(_ push: String, _ claims: JSONObject) throws(PlatformError) -> PlatformReply {
    guard claims["notification"]?.string == push else { throw .brokenDown }
    decisions.append((push, claims))
    if let lock {
      var body = lock.json.object ?? [:]
      body["code"] = "ACCOUNT_LOCKED"
      return PlatformReply(403, .object(body))
    }
    let wanted: RemoteStatus = claims["decision"] == "approve" ? .approved : .denied
    if let outcome = outcomes[push] {
      // The same decision again is accepted, but not an equal one by another device.
      if accepted[push] == claims { return PlatformReply(200, ["status": .string(wanted.rawValue)]) }
      return outcome == .expired
        ? PlatformReply(410) : PlatformReply(409, ["status": .string(outcome.rawValue)])
    }
    if wanted == .approved, let number = numbers[push], claims["number"]?.int != number {
      tries -= 1
      if tries == 0 { outcomes[push] = .denied }
      return PlatformReply(422, ["triesLeft": .int(tries)])
    }
    outcomes[push] = wanted
    accepted[push] = claims
    var body: JSONObject = ["status": .string(wanted.rawValue)]
    if wanted == .approved { body["confirmationInfo"] = ["confirmed": true] }
    body["lock"] = locks[push]?.json
    return PlatformReply(200, .object(body))
  }

  private func claim(_ text: String, waitsForOwner: Bool) -> PlatformReply {
    if let known = codes[text], known.deadline == nil {
      codes[text]?.deadline = clock.uptime + .seconds(known.lifetime)
    }
    let code = codes[text] ?? code
    return PlatformReply(
      200,
      [
        "requestId": .string(code.request),
        "status": .string((waitsForOwner ? .claimed : code.status).rawValue),
        "users": .array(code.users.map(\.json)), "userApproval": .string(code.userApproval),
        "expiresAt": .string(clock.now.adding(seconds: code.lifetime).text),
        "clientContext": ["app": "desk"],
      ]
    )
  }

  private func decide(code request: String, _ claims: JSONObject) -> PlatformReply {
    decisions.append((request, claims))
    let outcome: AuthenticationObject.Status = claims["decision"] == "approve" ? .completed : .denied
    let end: AuthenticationObject.Status
    if let text = codes.first(where: { $0.value.request == request })?.key {
      let isOver = codes[text]?.deadline.map { clock.uptime >= $0 } ?? false
      end = codes[text]?.outcome ?? (isOver ? .expired : outcome)
      codes[text]?.outcome = end
    } else {
      end = code.outcome ?? outcome
      code.outcome = end
    }
    return PlatformReply(200, ["status": .string(end.rawValue)])
  }

  /// Returns the claims of a decision signed by the answer key, or of a denial signed by the device key.
  private static func claims(_ body: JSONObject, _ keys: DeviceKeys) throws(PlatformError) -> JSONObject {
    if let claims = keys.decision(body, signedBy: \.answer) { return claims }
    guard let claims = keys.decision(body, signedBy: \.device), claims["decision"] == "deny" else {
      throw .brokenDown
    }
    return claims
  }
}
