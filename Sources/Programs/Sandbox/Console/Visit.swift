import EventLoop
import HTTPServer
import JSON
import WebAddress

/// A request in a session of the console.
@EventLoop
struct Visit {
  let call: Call
  let session: ConsoleSession

  var tenant: Tenant { call.tenant }

  /// Sends a request to the management API of the environment.
  @discardableResult
  func ask(_ method: String, _ path: String, _ body: JSON? = nil, action: String? = nil)
    async throws(ErrorResponse) -> JSON
  {
    let environment = "/v1/environments/\(tenant.environment.id.text)"
    return try await call.ask(method, environment + path, body, action: action)
  }

  /// Returns a form with the form token, which proves that a page of the session submits the form.
  func form(_ action: String, _ button: String, class kind: String? = nil, _ fields: [HTML] = []) -> HTML {
    let token = HTML.hidden(ConsoleForm.token, session.formToken)
    let submit = HTML.element("button", ["type": "submit"], HTML(button))
    return .element(
      "form",
      ["method": "post", "action": action, "class": kind],
      of: [token] + fields + [submit]
    )
  }

  /// Returns a form that consists of one button.
  func button(_ label: String, _ action: String) -> HTML {
    form(action, label, class: "button")
  }

  /// Returns a page with one button, which deletes `name` for ever.
  func confirmation(_ name: String, _ action: String, back: String) -> ConsolePage {
    ConsolePage(
      "Delete \(name)?",
      .element("p", "This cannot be undone."),
      form(action, "Delete", class: "danger"),
      .element("p", .link(back, "Keep \(name)"))
    )
  }
}

/// The submitted values of a form of the console.
struct ConsoleForm {
  /// Name of the field with the form token of the session.
  static let token = "token"

  private let values: [String: String]

  init(_ values: [String: String]) { self.values = values }

  /// Returns the text of a field, `nil` if it is empty.
  func text(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// Returns true if a checkbox is checked.
  func isTicked(_ name: String) -> Bool { values[name] != nil }

  /// Returns the number in a field, `nil` if it is empty.
  func int(_ name: String) throws(ErrorResponse) -> Int? {
    guard let text = text(name) else { return nil }
    guard let number = Int(text) else { throw .invalid(name, "must be a number") }
    return number
  }
}

extension Route where Endpoint == Sandbox.Endpoint {
  /// Returns the route of a console page; without a session it redirects to the login page.
  static func page(
    _ pattern: String,
    _ show: @escaping @EventLoop @Sendable (Visit) throws(ErrorResponse) -> ConsolePage
  ) -> Route {
    .console("GET", pattern) { call throws(ErrorResponse) in
      guard let session = call.consoleSession else { return .leading(to: ConsoleLogin.path) }
      return try show(Visit(call: call, session: session)).response(in: call, session)
    }
  }

  /// Returns the route of a form: it performs `act`, then redirects to the path that `act` returns.
  static func form(
    _ pattern: String,
    _ act: @escaping @EventLoop @Sendable (Visit, ConsoleForm) async throws(ErrorResponse) -> String
  ) -> Route {
    .console("POST", pattern) { call throws(ErrorResponse) in
      guard let session = call.consoleSession else { return .leading(to: ConsoleLogin.path) }
      let form = ConsoleForm(try call.form())
      guard isSameSecret(form.text(ConsoleForm.token) ?? "", session.formToken) else {
        throw ErrorResponse(403, "OTHER_FORM", "The form does not belong to this session.")
      }
      return .leading(to: try await act(Visit(call: call, session: session), form))
    }
  }

  /// Returns a route that accepts requests only for this host, and `POST` only from pages of this origin.
  ///
  /// Errors are shown as a page.
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

  /// Host name of the request, if it is one of this machine's own names.
  private var ownHost: String? {
    let hosts = request.headers.values("host")
    return hosts.count == 1 ? OwnAddress.hosts(port: port).first { $0 == hosts[0] } : nil
  }

  /// Rejects a request for another host name: a foreign name can resolve to this machine too.
  func requireOwnHost() throws(ErrorResponse) {
    guard ownHost != nil else {
      throw ErrorResponse(
        421,
        "MISDIRECTED_REQUEST",
        "The console is available only at 127.0.0.1 and localhost."
      )
    }
  }

  /// Rejects a request from a page of another origin.
  ///
  /// The check relies on request headers that current browsers send.
  func requireOwnOrigin() throws(ErrorResponse) {
    let (origin, site) = (request.headers["origin"], request.headers["sec-fetch-site"])
    // Browsers omit the default port in the origin.
    let own = ownHost.flatMap { WebURL("http://\($0)")?.origin.text }
    guard origin == nil || origin == own, site == nil || site == "same-origin" else {
      throw ErrorResponse(403, "OTHER_ORIGIN", "The form was sent by a page of another origin.")
    }
  }

  /// The session of the request, `nil` if there is none or the host name is foreign.
  var consoleSession: ConsoleSession? {
    guard ownHost != nil else { return nil }
    return tenant.guests.session(request.headers.cookies[consoleCookie], at: tenant.clock.now)
  }

  /// Browsers send cookies of this machine to all its ports, so each sandbox needs its own cookie name.
  private var consoleCookie: String { "console-\(port)" }

  /// Starts a session and redirects the browser to the first page.
  func entering() -> HTTPResponse {
    let session = tenant.guests.enter(at: tenant.clock.now)
    let attributes = "Path=\(ConsoleSection.base); HttpOnly; SameSite=Strict"
    return HTTPResponse.leading(to: ConsoleSection.base)
      .with("Set-Cookie", "\(consoleCookie)=\(session.cookie); \(attributes)")
  }

  /// Sends a request as the administrator, without HTTP; the errors are the same as over HTTP.
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
  /// Redirects a browser after it has submitted a form.
  static func leading(to path: String) -> HTTPResponse {
    HTTPResponse(status: 303).with("Location", path).with("Cache-Control", "no-store")
  }
}
