import EventLoop
import HTTPServer
import JSON

/// AM's resource for messages from devices, `push/sns/message`; it requires no session.
@EventLoop
enum PushMessageRoutes {
  private typealias Action =
    @EventLoop @Sendable (JSONObject, Tenant, _ realm: String) throws(ErrorResponse) -> Void

  static let path = "push/sns/message"
  private static let bases = [
    "/am/json/realms/root/realms/{realm}", "/am/json/realms/{realm}", "/am/json/{realm}", "/am/json",
  ]

  static let routes: [Route<Endpoint>] = bases.map { .anyone("POST", "\($0)/\(path)", act) }

  private static let actions: [String: Action] = [
    "register": register, "authenticate": authenticate, "refresh": refresh,
  ]

  private static func act(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    guard let realm = call.realm else { throw .am(404, "Realm not found") }
    guard call.tenant.amSettings.hasPushService else {
      throw .am(404, "Cannot find Push Notification Service.")
    }
    guard let action = actions[call.query("_action") ?? ""],
      call.request.headers.mediaType == "application/json",
      let body = try? JSON(parsing: call.request.body).object
    else { throw .badMessage }
    try action(body, call.tenant, realm)
    return .plain(200, [:]).with("Content-API-Version", "resource=1.0")
  }

  private static func register(_ body: JSONObject, _ tenant: Tenant, _ realm: String) throws(ErrorResponse) {
    var (record, claims) = try message(body, .register, tenant, realm)
    // A registration accepts only one message, since its record is then no longer pending.
    guard record.state == .pending, claims["mechanismUid"]?.string?.isEmpty == false,
      claims["deviceId"]?.string?.isEmpty == false
    else { throw .badMessage }
    (record.state, record.content) = (.accepted, claims)
    tenant.pushRecords.put(record)
  }

  /// Accepts a response; until the journey reads the record, a later response replaces an earlier one.
  private static func authenticate(_ body: JSONObject, _ tenant: Tenant, _ realm: String)
    throws(ErrorResponse)
  {
    var (record, claims) = try message(body, .authenticate, tenant, realm)
    record.content = claims
    // A message with the claim `deny` is a denial, regardless of the claim's value.
    if claims["deny"] != nil {
      record.state = .denied
    } else if let number = record.number, let text = claims["challengeResponse"]?.string {
      guard let chosen = Int(text) else { throw .am(500, "Internal Server Error") }
      guard chosen == number || tenant.amSettings.version == .before else { throw .badMessage }
      record.state = chosen == number ? .accepted : .wrongNumber
    } else if record.number != nil, tenant.amSettings.version == .since {
      throw .badMessage
    } else {
      record.state = .accepted
    }
    tenant.pushRecords.put(record)
  }

  private static func refresh(_ body: JSONObject, _ tenant: Tenant, _ realm: String) throws(ErrorResponse) {
    guard let mechanism = body["mechanismUid"]?.string, let username = body["username"]?.string,
      let user = tenant.user(named: username),
      var factor = tenant.factors(of: user.id, .push, in: realm).first(where: {
        $0.push?.mechanism == mechanism
      }), var push = factor.push, let text = body["jwt"]?.string,
      let claims = try SharedSecretJWT(push.secret).claims(of: text),
      claims["mechanismUid"].map({ $0.string == mechanism }) ?? true,
      let device = claims["deviceId"]?.string, !device.isEmpty
    else { throw .badMessage }
    push.deviceID = device
    push.deviceType = claims["deviceType"]?.string ?? push.deviceType
    push.communicationType = claims["communicationType"]?.string ?? push.communicationType
    factor.push = push
    factor.name = claims["deviceName"]?.string ?? factor.name
    tenant.factors.put(factor)
  }

  /// Returns the record that a message answers and the message's claims, after checks in the order of AM.
  private static func message(
    _ body: JSONObject,
    _ kind: SentMessage.Kind,
    _ tenant: Tenant,
    _ realm: String
  ) throws(ErrorResponse) -> (SentMessage, JSONObject) {
    guard let name = body["messageId"]?.string else { throw .badMessage }
    let parts = name.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { throw .badMessage }
    guard let named = SentMessage.Kind(rawValue: String(parts[0])) else {
      throw .am(500, "Internal Server Error")
    }
    guard named == kind, let record = tenant.pushRecords[ID(name)], record.realm == realm,
      !tenant.clock.isOver(record.deadline)
    else { throw .badMessage }
    let channel = SharedSecretJWT(record.secret)
    guard let text = body["jwt"]?.string, let claims = try channel.claims(of: text),
      isSameSecret(claims["response"]?.string ?? "", try channel.response(to: record.challenge))
    else { throw .badMessage }
    return (record, claims)
  }
}

extension ErrorResponse { fileprivate static let badMessage = am(400, "Bad request.") }
