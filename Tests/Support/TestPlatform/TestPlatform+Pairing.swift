internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import JSON
internal import OATH
internal import OATHExports
internal import OpenSSL
internal import PingOne
internal import PlatformWire

extension TestPlatform {
  /// A pairing with a pending passcode check.
  struct Begun {
    let device: String
    let pairing: Pairing
    /// True if its passcode was correct, which uses the pairing key up.
    var isOver = false
    /// True if another pairing replaced it, or it was ended.
    var isGone = false

    var binding: Binding { Binding(device: device, user: pairing.user.id) }
  }

  func pair(_ device: String, _ key: String, _ place: Geography) throws(PlatformError) -> PlatformReply {
    let id = "pairing-\(key)"
    let known = begun[id]
    let pairing = pairings[key] ?? pairing
    if pairings[key] != nil, known.map({ $0.isOver || $0.isGone || $0.device != device }) ?? false {
      throw .refused(.pairingKey)
    }
    if let geography = pairing.geography, geography != place { throw .elsewhere(geography) }
    let record = DeviceRecord(
      user: pairing.user,
      environment: pairing.environment,
      device: id,
      isPushEnabled: true
    )
    records[place, default: []].removeAll { $0.user == pairing.user }
    records[place, default: []].append(record)
    begun[id] = Begun(device: device, pairing: pairing)
    if pairing.secret == nil { bindings[Binding(device: device, user: pairing.user.id)] = .some(nil) }
    var body: JSONObject = [
      "pairingId": .string(id), "user": pairing.user.json,
      "environment": ["id": .string(pairing.environment)],
      "authenticators": [["type": "PUSH", "status": pairing.isPushWorking ? "COMPLETED" : "FAILED"]],
    ]
    body["oath"] = pairing.secret.map {
      ["secret": .string(Base32.encode($0)), "algorithm": "SHA1", "digits": 6, "period": 30]
    }
    return PlatformReply(201, .object(body))
  }

  func check(_ passcode: String, of pairing: String) throws(PlatformError) -> PlatformReply {
    passcodes.append(passcode)
    if !passcodeOutcomes.isEmpty { return Self.outcome(passcodeOutcomes.removeFirst()) }
    guard let known = begun[pairing], !known.isGone, let secret = known.pairing.secret else {
      return PlatformReply(404, ["code": "NOT_FOUND"])
    }
    // The response to the first check may have been lost. A repetition has no effect.
    if known.isOver { return PlatformReply(200, ["status": "COMPLETED"]) }
    guard try isRight(passcode, for: secret) else { return Self.outcome("InvalidOneTimePasscode") }
    end(known.binding)
    bindings[known.binding] = secret
    begun[pairing]?.isOver = true
    begun[pairing]?.isGone = false
    return PlatformReply(200, ["status": "COMPLETED"])
  }

  private static func outcome(_ code: String) -> PlatformReply { PlatformReply(400, ["code": .string(code)]) }

  /// Removes the binding of a device and a user, and their pending pairings.
  func end(_ binding: Binding) {
    bindings[binding] = nil
    for (id, known) in begun where known.binding == binding { begun[id]?.isGone = true }
  }

  /// Returns true for a passcode of the last hour, since delivery may take long.
  private func isRight(_ passcode: String, for secret: [UInt8]) throws(PlatformError) -> Bool {
    do {
      let totp = TOTP(secret: Secret(copying: secret), algorithm: .sha1, digits: 6, period: 30)
      let window = totp.window(at: clock.now)
      return try (window - 120...window + 1).contains { try totp.passcode(window: $0) == passcode }
    } catch { throw .brokenDown }
  }
}
