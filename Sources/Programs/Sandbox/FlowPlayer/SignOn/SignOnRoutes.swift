import EventLoop
import HTTPServer
import JSON

/// The steps of a sign-on.
///
/// Clients use `/{environment}/flows/{flow}` and `/{environment}/as/resume`, browsers use
/// `/{environment}/as/signon`.
@EventLoop
enum SignOnRoutes {
  static let routes: [Route<Endpoint>] = [
    .anyone("GET", "/{environment}/flows/{flow}", read), .anyone("POST", "/{environment}/flows/{flow}", act),
    .anyone("GET", "/{environment}/as/resume", resume), .anyone("POST", "/{environment}/as/signon", submit),
  ]

  private static func read(_ call: Call) async throws(ErrorResponse) -> HTTPResponse {
    try await play(call.parameters["flow"], of: call).look()
  }

  private static func act(_ call: Call) async throws(ErrorResponse) -> HTTPResponse {
    let type = call.request.headers.mediaType ?? ""
    let (prefix, suffix) = ("application/vnd.pingidentity.", "+json")
    guard type.hasPrefix(prefix), type.hasSuffix(suffix) else { throw .unsupportedMediaType }
    let name = type.dropFirst(prefix.count).dropLast(suffix.count)
    let play = try play(call.parameters["flow"], of: call)
    let action = play.flow.actions.first { $0.lowercased() == name }
    guard let action else { throw .unsupportedMediaType }
    _ = await play.look()
    let body = call.request.body.isEmpty ? Members() : try call.actionBody()
    return await play.act(action, body.object)
  }

  private static func resume(_ call: Call) async throws(ErrorResponse) -> HTTPResponse {
    let play = try play(call.query("flowId"), of: call)
    _ = await play.look()
    guard play.completed != nil else { throw .invalidRequest("The sign-on is not completed.") }
    return await play.take(event: "resume")
  }

  private static func submit(_ call: Call) async throws(ErrorResponse) -> HTTPResponse {
    let form = try call.form()
    let play = try play(form["flowId"], of: call)
    guard play.isInBrowser else { throw .invalidRequest("The sign-on is not in a browser.") }
    guard form["decision"] != "cancel" else {
      play.end()
      return play.refusal(.oauth("access_denied", "the user cancelled the sign-on"))
    }
    // Read the action first: the form belongs to the page before a change that `look()` may cause.
    let action = form["action"] ?? play.firstButton
    let seen = await play.look()
    guard action != StatusPage.waiting, call.tenant.plays[play.id] != nil else { return seen }
    guard play.flow.actions.contains(action) else { throw .invalid("action", "is not an action") }
    return await play.act(action, members(form))
  }

  private static func members(_ form: [String: String]) -> JSONObject {
    var members: JSONObject = [:]
    for (name, value) in form {
      switch name {
      case "flowId", "action", "decision": break
      case "device": members[name] = ["id": .string(value)]
      default: members[name] = .string(value)
      }
    }
    return members
  }

  /// Returns the sign-on with this identifier if the request has its cookie.
  ///
  /// Each such request extends the lifetime of the sign-on.
  private static func play(_ id: String?, of call: Call) throws(ErrorResponse) -> FlowPlay {
    let play = call.tenant.plays.first { $0.id.text == id && $0.policy != nil }
    guard let play, !play.isOver else { throw .notFound }
    let token = call.request.headers.cookies[BrowserSession.cookie] ?? ""
    guard isSameSecret(token, play.turn.token) else { throw .accessFailed }
    play.extend()
    return play
  }
}

extension FlowPlay {
  fileprivate func act(_ action: String, _ answers: JSONObject) async -> HTTPResponse {
    guard page?.actions.contains(action) ?? false else {
      return flow.kind.refusal(self, .invalidRequest("The action \(action) is not possible now."))
    }
    return await take(event: "action", action: action, answers)
  }
}

/// `/{environment}/rp/authenticate`: a simulated external identity provider.
///
/// The user signs on there in a browser without the flow's cookie.
@EventLoop
enum ExternalAuthentication {
  static let routes: [Route<Endpoint>] = [
    .anyone("GET", "/{environment}/rp/authenticate", show),
    .anyone("POST", "/{environment}/rp/authenticate", submit),
  ]

  /// Variable of the flow: empty while the flow waits for the provider, then the name of the user.
  private static let variable = "external"

  private static func show(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    page(of: try play(try call.queryParameters()["flowId"], call.tenant))
  }

  private static func submit(_ call: Call) throws(ErrorResponse) -> HTTPResponse {
    let form = try call.form()
    let play = try play(form["flowId"], call.tenant)
    let user = call.tenant.user(named: form["username"] ?? "", password: form["password"] ?? "")
    guard let user else { return page(of: play, message: "The user name or the password is wrong.") }
    // The flow continues with the next request of its own client, since this browser lacks the flow's
    // cookie.
    play.variables[variable] = .string(user.username)
    return HTMLPage(title: "Signed on", paragraphs: ["You can return to the application."]).response
  }

  private static func play(_ id: String?, _ tenant: Tenant) throws(ErrorResponse) -> FlowPlay {
    let found = tenant.plays.first { $0.id.text == id && $0.policy != nil && !$0.isOver }
    guard let found, found.variables[variable] == "" else { throw .notFound }
    return found
  }

  private static func page(of play: FlowPlay, message: String? = nil) -> HTTPResponse {
    HTMLPage(
      title: "Another provider",
      paragraphs: [message].compactMap(\.self),
      form: HTMLPage.Form(
        action: "\(play.tenant.authenticationURL)/rp/authenticate",
        fields: HTMLPage.Field.signOn("flowId", play.id.text),
        buttons: [HTMLPage.Button(label: "Sign on")]
      )
    ).response
  }
}
