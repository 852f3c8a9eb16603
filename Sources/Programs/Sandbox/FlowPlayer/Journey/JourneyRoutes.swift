import EventLoop
import HTTPServer
import JSON

/// AM's `authenticate` and its session resources.
@EventLoop
enum JourneyRoutes {
  private static let realm = "/am/json/realms/root/realms/{realm}"
  /// Paths of the same resources with and without the top-level realm.
  private static let bases = [realm, "/am/json/realms/{realm}"]

  static let routes: [Route<Endpoint>] =
    bases.flatMap { base -> [Route<Endpoint>] in
      [
        .anyone("POST", "\(base)/authenticate", authenticate), .anyone("POST", "\(base)/sessions", act),
        .anyone("GET", "\(base)/serverinfo/*", information),
      ]
    } + [
      .anyone("GET", "/am/json/serverinfo/*", information),
      .anyone("GET", "/am/json/serverinfo/%2A", information),
    ]

  private static func authenticate(_ call: Call) async throws(ErrorResponse) -> HTTPResponse {
    guard let realm = call.realm else { throw .am(404, "Realm not found") }
    let type = call.request.headers.mediaType
    guard call.request.body.isEmpty || type == "application/json" else {
      throw .am(400, "The content type is not supported")
    }
    if let suspended = call.query("suspendedId") { return try await resume(suspended, call) }
    let body = call.request.body.isEmpty ? .object([:]) : try? JSON(parsing: call.request.body)
    guard let body = body?.object else {
      throw .am(400, "The request could not be processed: no JSON object")
    }
    guard let authID = body["authId"]?.string else { return try await start(realm, call) }
    return try await next(authID, body, call)
  }

  private static func start(_ realm: String, _ call: Call) async throws(ErrorResponse) -> HTTPResponse {
    let tenant = call.tenant
    guard call.query("authIndexType") == "service", let name = call.query("authIndexValue"),
      let flow = tenant.flows.flow(name, FlowKind.journey.name)
    else { throw .am(400, "No Configuration found") }
    if call.query("ForceAuth") != "true", let session = tenant.journeySession(of: call.request, realm: realm)
    {
      return .plain(200, tenant.json(of: session, realm: realm, successURL: Tenant.successURL))
    }
    let play = FlowPlay(flow, of: tenant)
    play.parameters["realm"] = realm
    play.note(call)
    return await play.begin()
  }

  private static func resume(_ suspended: String, _ call: Call) async throws(ErrorResponse) -> HTTPResponse {
    guard call.query("authIndexType") == nil,
      let play = call.tenant.plays.first(where: { $0.suspendedID == suspended }), !play.isOver
    else { throw .unknownSuspension }
    play.suspendedID = nil
    play.note(call)
    return await play.take(event: "resume")
  }

  private static func next(_ authID: String, _ body: JSONObject, _ call: Call) async throws(ErrorResponse)
    -> HTTPResponse
  {
    guard let play = call.tenant.plays.first(where: { $0.turn.token == authID && $0.authorization == nil })
    else { throw .am(401, "AuthId JWT Signature not valid.") }
    guard !play.isOver else { throw .journeyTimedOut }
    let answers = try play.answers(in: body)
    // Renew the identifier now, so that no second request can use the old one while this step is in progress.
    play.turn.token = randomText(43, of: tokenAlphabet)
    play.note(call)
    return await play.take(event: "submit", answers)
  }

  private static func act(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    guard let realm = call.realm else { throw .am(404, "Realm not found") }
    let action = call.query("_action")
    guard action == "logout" || action == "getSessionInfo" else {
      throw .am(400, "The action is not supported")
    }
    guard let session = call.tenant.journeySession(of: call.request, realm: realm),
      let user = call.tenant.users[session.user]
    else { throw .am(401, "Access Denied") }
    guard action == "logout" else {
      return .plain(200, call.tenant.information(on: session, of: user, realm))
    }
    call.tenant.sessions[session.id] = nil
    return .plain(200, ["result": "Successfully logged out"])
  }

  private static func information(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    guard let realm = call.realm else { throw .am(404, "Realm not found") }
    return .plain([
      "domains": [JSON](), "protectedUserAttributes": [JSON](), "cookieName": call.tenant.journeyCookie,
      "secureCookie": false, "forgotPassword": "false", "selfRegistration": "false", "lang": "en-US",
      "realm": realm == "root" ? "/" : "/\(realm)", "zeroPageLogin": JSON.of(["enabled": false]),
    ])
  }
}

extension FlowPlay {
  fileprivate func note(_ call: Call) {
    languages = call.languages
    parameters["noSession"] = call.query("noSession")
  }
}

extension Tenant {
  static let realms: Set = ["root", "alpha", "bravo"]
  nonisolated static let successURL = "/am/console"

  /// Name of AM's session cookie, which is different in every environment.
  var journeyCookie: String { String(self.environment.id.text.filter { $0 != "-" }.prefix(15)) }

  /// Returns the active session of a request, by the token in AM's session cookie or in a header with the
  /// name of that cookie.
  func journeySession(of request: HTTPRequest, realm: String) -> BrowserSession? {
    session(of: request.headers[journeyCookie] ?? request.headers.cookies[journeyCookie], realm: realm)
  }

  func information(on session: BrowserSession, of user: PlatformUser, _ realm: String) -> JSON {
    let end = clock.instant(of: session.deadline)
    return .of([
      "username": user.username, "universalId": universalID(of: user, in: realm),
      "realm": realm == "root" ? "/" : "/\(realm)", "latestAccessTime": clock.now,
      "maxIdleExpirationTime": end, "maxSessionExpirationTime": end, "properties": JSONObject(),
    ])
  }

  /// Returns AM's universal identifier of a user.
  func universalID(of user: PlatformUser, in realm: String) -> String {
    let place = realm == "root" ? "" : "o=\(realm),ou=services,"
    return "id=\(user.username),ou=user,\(place)ou=am-config"
  }

  func json(of session: BrowserSession?, realm: String, successURL: String) -> JSON {
    .of(["tokenId": session?.token, "successUrl": successURL, "realm": realm == "root" ? "/" : "/\(realm)"])
  }
}

extension Call {
  /// The realm in the path, the top-level realm if the path has none, or `nil` if the realm does not exist.
  var realm: String? {
    let realm = parameters["realm"] ?? "root"
    return Tenant.realms.contains(realm) ? realm : nil
  }
}
