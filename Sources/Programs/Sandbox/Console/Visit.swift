import EventLoop
import HTTPServer
import JSON
import WebAddress

/// Somebody who has entered the console, and what they ask.
@EventLoop
struct Visit {
  let call: Call
  let session: ConsoleSession

  var tenant: Tenant { call.tenant }

  /// Asks the management interface of the environment.
  @discardableResult
  func ask(_ method: String, _ path: String, _ body: JSON? = nil, action: String? = nil)
    async throws(ErrorResponse) -> JSON
  {
    let environment = "/v1/environments/\(tenant.environment.id.text)"
    return try await call.ask(method, environment + path, body, action: action)
  }

  /// A form that leads nowhere but here, with what shows that it is one of the session's.
  func form(_ action: String, _ button: String, class kind: String? = nil, _ fields: [HTML] = []) -> HTML {
    let token = HTML.hidden(ConsoleForm.token, session.formToken)
    let submit = HTML.element("button", ["type": "submit"], HTML(button))
    return .element(
      "form",
      ["method": "post", "action": action, "class": kind],
      of: [token] + fields + [submit]
    )
  }

  /// A form of nothing but a button.
  func button(_ label: String, _ action: String) -> HTML {
    form(action, label, class: "button")
  }
}

/// What a form of the console was filled in with.
struct ConsoleForm {
  /// The name of the field that shows that the form is one of the session's.
  static let token = "token"

  private let values: [String: String]

  init(_ values: [String: String]) { self.values = values }

  /// The text of a field; `nil` if it was left empty.
  func text(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// Whether a box was ticked.
  func isTicked(_ name: String) -> Bool { values[name] != nil }

  /// The number in a field; `nil` if it was left empty.
  func int(_ name: String) throws(ErrorResponse) -> Int? {
    guard let text = text(name) else { return nil }
    guard let number = Int(text) else { throw .invalid(name, "must be a number") }
    return number
  }
}

extension Route where Endpoint == Sandbox.Endpoint {
  /// A page of the console, for whoever has entered.
  static func page(
    _ pattern: String,
    _ show: @escaping @EventLoop @Sendable (Visit) throws(ErrorResponse) -> ConsolePage
  ) -> Route {
    .console("GET", pattern) { call throws(ErrorResponse) in
      guard let session = call.consoleSession else { return .leading(to: ConsoleEntrance.path) }
      return try show(Visit(call: call, session: session)).response(in: call, session)
    }
  }

  /// What a form of a page does, after which it leads to a path.
  static func form(
    _ pattern: String,
    _ act: @escaping @EventLoop @Sendable (Visit, ConsoleForm) async throws(ErrorResponse) -> String
  ) -> Route {
    .console("POST", pattern) { call throws(ErrorResponse) in
      guard let session = call.consoleSession else { return .leading(to: ConsoleEntrance.path) }
      let form = ConsoleForm(try call.form())
      guard isSameSecret(form.text(ConsoleForm.token) ?? "", session.formToken) else {
        throw ErrorResponse(403, "OTHER_FORM", "The form is not one of this session's.")
      }
      return .leading(to: try await act(Visit(call: call, session: session), form))
    }
  }

  /// What only this machine's own pages may ask; a refusal is a page too.
  static func console(_ method: String, _ pattern: String, _ run: @escaping Endpoint.Run) -> Route {
    .anyone(method, pattern) { call in
      do throws(ErrorResponse) {
        try call.requireOwnHost()
        if method == "POST" { try call.requireOwnOrigin() }
        return try await run(call)
      } catch { return ConsolePage(error).response(in: call, call.consoleSession, status: error.status) }
    }
  }
}

extension Call {
  private var port: Int { WebURL(tenant.url)?.origin.port ?? 0 }

  /// The name that it was sent to, if that is one of this machine's own.
  private var ownHost: String? {
    let hosts = request.headers.values("host")
    return hosts.count == 1 ? OwnAddress.hosts(port: port).first { $0 == hosts[0] } : nil
  }

  /// Refuses what was sent to another name: that of somebody's page can lead here too.
  func requireOwnHost() throws(ErrorResponse) {
    guard ownHost != nil else {
      throw ErrorResponse(
        421,
        "MISDIRECTED_REQUEST",
        "The console is there under 127.0.0.1 and localhost only."
      )
    }
  }

  /// Refuses what a page of another origin sends, as far as the browser tells; browsers of today do.
  func requireOwnOrigin() throws(ErrorResponse) {
    let (origin, site) = (request.headers["origin"], request.headers["sec-fetch-site"])
    // Where the name has the standard port too, browsers leave it out here.
    let own = ownHost.flatMap { WebURL("http://\($0)")?.origin.text }
    guard origin == nil || origin == own, site == nil || site == "same-origin" else {
      throw ErrorResponse(403, "OTHER_ORIGIN", "The form was sent by a page of another origin.")
    }
  }

  /// Who has entered; nobody under a name of somebody else's.
  var consoleSession: ConsoleSession? {
    guard ownHost != nil else { return nil }
    return tenant.guests.session(request.headers.cookies[consoleCookie], at: tenant.clock.now)
  }

  /// Cookies of this machine go to all its ports, so that each sandbox has one of its own.
  private var consoleCookie: String { "console-\(port)" }

  /// Leads a browser that has just entered to the first page.
  func entering() -> HTTPResponse {
    let session = tenant.guests.enter(at: tenant.clock.now)
    let attributes = "Path=\(ConsoleSection.base); HttpOnly; SameSite=Strict"
    return HTTPResponse.leading(to: ConsoleSection.base)
      .with("Set-Cookie", "\(consoleCookie)=\(session.cookie); \(attributes)")
  }

  /// Asks what an administrator can ask over HTTP; a refusal is the one that they would have.
  @discardableResult
  func ask(_ method: String, _ path: String, _ body: JSON? = nil, action: String? = nil)
    async throws(ErrorResponse) -> JSON
  {
    let type = action.map { "application/vnd.pingidentity.\($0)+json" } ?? "application/json"
    let headers = [("Authorization", "Bearer \(tenant.adminToken)"), ("Content-Type", type)]
    let request = HTTPRequest(
      method: method,
      target: path,
      headers: HTTPHeaders(headers),
      body: body?.serialized ?? []
    )
    let response = try await Dispatcher.response(to: request, tenant)
    return (try? JSON(parsing: response.body)) ?? .null
  }
}

extension HTTPResponse {
  /// Leads a browser to another page after what a form has done.
  static func leading(to path: String) -> HTTPResponse {
    HTTPResponse(status: 303).with("Location", path).with("Cache-Control", "no-store")
  }
}
