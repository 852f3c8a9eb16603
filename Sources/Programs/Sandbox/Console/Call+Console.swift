import HTTPServer
import JSON
import WebAddress

extension Call {
  private var port: Int { WebURL(tenant.url)?.origin.port ?? 0 }

  /// The name that it was sent to, if that is one of this machine's own.
  private var ownHost: String? {
    let hosts = request.headers.values("host")
    return hosts.count == 1 ? OwnAddress.hosts(port: port).first { $0 == hosts[0] } : nil
  }

  /// Refuses what was sent to another name: that of somebody's page can lead here too.
  func requireOwnHost() throws(Refusal) {
    guard ownHost != nil else {
      throw Refusal(421, "MISDIRECTED_REQUEST", "The console is there under 127.0.0.1 and localhost only.")
    }
  }

  /// Refuses what a page of another origin sends, as far as the browser tells; browsers of today do.
  func requireOwnOrigin() throws(Refusal) {
    let (origin, site) = (request.headers["origin"], request.headers["sec-fetch-site"])
    // Where the name has the standard port too, browsers leave it out here.
    let own = ownHost.flatMap { WebURL("http://\($0)")?.origin.text }
    guard origin == nil || origin == own, site == nil || site == "same-origin" else {
      throw Refusal(403, "OTHER_ORIGIN", "The form was sent by a page of another origin.")
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
    async throws(Refusal) -> JSON
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
