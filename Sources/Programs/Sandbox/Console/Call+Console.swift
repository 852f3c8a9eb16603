import HTTPServer
import JSON

extension Call {
  private var host: String? {
    let hosts = request.headers.values("host")
    return hosts.count == 1 ? hosts.first : nil
  }

  /// Refuses what was sent to another name than this machine's own: the name of somebody's page can lead here too.
  func requireOwnHost() throws(Refusal) {
    let port = tenant.url.split(separator: ":").last ?? ""
    guard let host, ["127.0.0.1:\(port)", "localhost:\(port)"].contains(host) else {
      throw Refusal(421, "MISDIRECTED_REQUEST", "The console is there under 127.0.0.1 and localhost only.")
    }
  }

  /// Refuses what a page of another origin sends, as far as the browser tells; browsers of today do.
  func requireOwnOrigin() throws(Refusal) {
    let (origin, site) = (request.headers["origin"], request.headers["sec-fetch-site"])
    guard origin == nil || origin == "http://\(host ?? "")", site == nil || site == "same-origin" else {
      throw Refusal(403, "OTHER_ORIGIN", "The form was sent by a page of another origin.")
    }
  }

  var consoleSession: ConsoleSession? {
    tenant.guests.session(request.headers.cookies[consoleCookie], at: tenant.clock.now)
  }

  /// Cookies of this machine go to all its ports, so that each sandbox has one of its own.
  private var consoleCookie: String { "console-\(tenant.url.split(separator: ":").last ?? "")" }

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
