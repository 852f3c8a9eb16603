internal import EventLoop
internal import Glibc
internal import JOSE
internal import JSON
internal import OpenSSL
internal import PlatformWire
internal import Time

extension Platform {
  /// A push that a sign-on waits for.
  struct Push {
    let device: String
    let owner: uid_t
    let user: String
    let kind: String
    /// The number that an approval must contain.
    let number: Int?
    let expiresAt: Int
    let text: String
    var standing = "pending"
    var tries = 3
    /// The device's decision, if it completed the push.
    var accepted: Wish?
  }

  /// A code on a sign-on page.
  struct Code {
    let request: String
    let owner: uid_t
    var device: String?
    var expiresAt: Int
    /// Maximum remaining lifetime that the platform ever stated, in seconds.
    var lifetime = 0
    var standing = "CLAIMED"
    var accepted: Wish?
  }

  /// Starts a sign-on of an owner, and sends a push to the device.
  ///
  /// Returns the push's ID.
  @discardableResult
  func ask(
    _ owner: uid_t,
    _ device: String,
    _ user: String,
    lifetime: Int,
    kind wanted: String? = nil
  ) -> String {
    let kind = wanted ?? (world.happens(15) ? "silent" : "authentication")
    let id = nextID("p")
    let number = kind == "authentication" && world.happens(20) ? world.number(10...99) : nil
    var claims = claims(id, kind, to: device, user, lifetime: lifetime)
    claims["title"] = .string(Marker.title(of: id, owner: owner))
    if number != nil { claims["numberMatching"] = ["type": "ENTER_MANUALLY"] }
    guard let text = signed(claims) else { return id }
    state.pushes[id] = Push(
      device: device,
      owner: owner,
      user: user,
      kind: kind,
      number: number,
      expiresAt: now + lifetime,
      text: text
    )
    world.note("\(id): \(kind) push for \(owner), \(lifetime) s\(number.map { ", number \($0)" } ?? "")")
    judge.expect(id, of: owner, kind)
    if wanted == nil, world.happens(8) { cancel(id) }
    if !world.happens(world.weather.lost) {
      send(text, to: device)
      judge.matters[id]?.isSent = true
    }
    return id
  }

  /// Cancels a push that is still pending.
  func cancel(_ id: String) {
    settleExpired(id)
    guard let push = state.pushes[id], push.standing == "pending",
      state.devices[push.device]?.users[push.user] != nil
    else { return }
    state.pushes[id]?.standing = "cancelled"
    // The cancellation lives as long as the push, so that a fetch returns both.
    let lifetime = max(120, push.expiresAt - now)
    var claims = claims(nextID("c"), "cancel", to: push.device, push.user, lifetime: lifetime)
    claims["cancels"] = .string(id)
    world.note("\(id): taken back")
    if let text = signed(claims) { send(text, to: push.device) }
  }

  /// The owner decides on a push on another device.
  func settleElsewhere(_ id: String, _ standing: String) {
    settleExpired(id)
    guard state.pushes[id]?.standing == "pending" else { return }
    world.note("\(id): \(standing) elsewhere")
    state.pushes[id]?.standing = standing
  }

  private func claims(
    _ id: String,
    _ kind: String,
    to device: String,
    _ user: String,
    lifetime: Int
  ) -> JSONObject {
    [
      "iss": .string(Self.url), "aud": .string(device), "jti": .string(id), "iat": .int(now),
      "exp": .int(now + lifetime), "type": .string(kind), "sub": .string(user),
      "env": .string(Self.environment), "timeout": .int(lifetime),
    ]
  }

  /// Returns a push that is valid except for one fault.
  func forged(_ forgery: Forgery, of push: Push, to device: String, _ user: String, of owner: uid_t)
    -> String?
  {
    let id = nextID("f")
    var claims = claims(id, "authentication", to: device, user, lifetime: 60)
    claims["title"] = .string(Marker.title(of: id, owner: owner))
    switch forgery {
    case .anotherKey: return (try? PrivateKey.generateP256()).flatMap { signed(claims, by: $0) }
    case .anotherDevice: claims["aud"] = .string(device + "0")
    case .anotherIssuer: claims["iss"] = "https://elsewhere.example/base"
    case .anotherType: return signed(claims, type: "decision+jwt")
    case .pastTime:
      (claims["iat"], claims["exp"]) = (.int(now - 100_000), .int(now - 99_000))
      // A machine with a clock that is a day slow cannot detect this.
      if world.wasClockWrong { claims["aud"] = "d-none" }
    case .anotherUser: claims["sub"] = .string(user + "0")
    case .changedText:
      var segments = push.text.split(separator: ".").map(String.init)
      segments[1] = Base64URL.encode(JSON.object(claims).serialized)
      return segments.joined(separator: ".")
    }
    return signed(claims)
  }

  private func signed(_ claims: JSONObject, type: String = "push+jwt", by stranger: PrivateKey? = nil)
    -> String?
  {
    try? CompactJWS.sign(
      payload: JSON.object(claims).serialized,
      type: type,
      keyID: keyID,
      with: stranger ?? key,
      algorithm: .es256
    )
  }

  // MARK: Decisions

  private func settleExpired(_ id: String) {
    guard let push = state.pushes[id], push.standing == "pending", now >= push.expiresAt else { return }
    state.pushes[id]?.standing = "expired"
  }

  func standing(of id: String) -> PlatformReply {
    settleExpired(id)
    return state.pushes[id].map { PlatformReply(200, ["status": .string($0.standing)]) } ?? PlatformReply(404)
  }

  func decide(_ id: String, _ claims: JSONObject?, from device: String, _ sentAt: Duration) -> PlatformReply {
    guard let claims, let wish = Wish(claims), claims["notification"]?.string == id else {
      return PlatformReply(400)
    }
    settleExpired(id)
    guard let push = state.pushes[id], push.device == device else {
      world.violate("\(device) decides on \(id), which is not its own")
      return PlatformReply(404)
    }
    judge.hears(wish, about: id, of: push.owner, sentAt: sentAt)
    if wish.isApproval, (wish.number == nil) != (push.number == nil) {
      world.violate(
        "\(id): the platform hears \(wish), and the number is \(push.number.map(String.init) ?? "none")"
      )
    }
    guard push.standing == "pending" else {
      if push.accepted == wish { return PlatformReply(200, ["status": .string(push.standing)]) }
      return push.standing == "expired"
        ? PlatformReply(410) : PlatformReply(409, ["status": .string(push.standing)])
    }
    if wish.isApproval, let number = push.number, wish.number != number {
      state.pushes[id]?.tries -= 1
      if push.tries == 1 { state.pushes[id]?.standing = "denied" }
      judge.takesBack(id)
      return PlatformReply(422, ["triesLeft": .int(push.tries - 1)])
    }
    state.pushes[id]?.standing = wish.isApproval ? "approved" : "denied"
    state.pushes[id]?.accepted = wish
    world.note("\(id): the platform takes \(wish)")
    return PlatformReply(200, ["status": .string(wish.isApproval ? "approved" : "denied")])
  }

  // MARK: Codes

  func claim(_ text: String, by device: String) -> PlatformReply {
    guard let code = state.codes[text], code.device == nil || code.device == device,
      let enrolment = state.devices[device]?.users.values.first, enrolment.owner == code.owner
    else { return PlatformReply(400, ["code": "AUTHENTICATION_CODE_INVALID"]) }
    state.codes[text]?.device = device
    state.codes[text]?.lifetime = max(code.lifetime, code.expiresAt - now)
    let users = (state.devices[device]?.users ?? [:]).keys.sorted().map { user in
      ["id": .string(user), "username": .string(user)] as JSON
    }
    return PlatformReply(
      200,
      [
        "requestId": .string(code.request), "status": .string(code.standing), "users": .array(users),
        "userApproval": "REQUIRED", "expiresAt": .string(Timestamp(seconds: code.expiresAt).text),
        "clientContext": ["app": .string(Marker.title(of: code.request, owner: code.owner))],
      ]
    )
  }

  func decideCode(
    _ request: String,
    _ claims: JSONObject?,
    from device: String,
    _ sentAt: Duration
  ) -> PlatformReply {
    guard let claims, let wish = Wish(claims),
      let text = state.codes.first(where: { $0.value.request == request })?.key,
      let code = state.codes[text], code.device == device
    else {
      world.violate("\(device) decides on the code \(request), which is not its own")
      return PlatformReply(404)
    }
    judge.hears(wish, about: request, of: code.owner, sentAt: sentAt)
    if code.accepted == nil, now >= code.expiresAt { return PlatformReply(410) }
    if let accepted = code.accepted {
      return PlatformReply(accepted == wish ? 200 : 409, ["status": .string(code.standing)])
    }
    state.codes[text]?.accepted = wish
    state.codes[text]?.standing = wish.isApproval ? "COMPLETED" : "DENIED"
    world.note("\(request): the platform takes \(wish)")
    return PlatformReply(200, ["status": .string(wish.isApproval ? "COMPLETED" : "DENIED")])
  }
}

/// A decision of an owner.
struct Wish: Equatable, CustomStringConvertible {
  let isApproval: Bool
  var number: Int?

  init(isApproval: Bool, number: Int? = nil) { (self.isApproval, self.number) = (isApproval, number) }

  init?(_ claims: JSONObject) {
    guard let decision = claims["decision"]?.string, ["approve", "deny"].contains(decision) else {
      return nil
    }
    self.init(isApproval: decision == "approve", number: claims["number"]?.int)
  }

  var description: String { (isApproval ? "approve" : "deny") + (number.map { " \($0)" } ?? "") }

  /// State of the push after the platform accepts the decision.
  var outcome: String { isApproval ? "approved" : "denied" }
}

/// A marker in all data of an owner, so that leaked data is recognized.
enum Marker {
  static func title(of id: String, owner: uid_t) -> String { "owner \(owner) thing \(id)" }

  /// Returns the owners of all objects in a text.
  static func owners(in text: some StringProtocol) -> Set<uid_t> {
    Set(text.split(separator: "owner ").dropFirst().compactMap { uid_t($0.prefix { $0.isNumber }) })
  }

  /// Returns the object that a title names.
  static func thing(in title: String) -> String? {
    title.split(separator: " thing ").dropFirst().first.map(String.init)
  }
}
