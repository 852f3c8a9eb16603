import EventLoop
import HTTPServer
import JSON

extension Tenant {
  /// The realms that there are.
  static let realms: Set = ["root", "alpha", "bravo"]

  /// The name of AM's session cookie, which is its own in every environment.
  var journeyCookie: String { String(environment.id.text.filter { $0 != "-" }.prefix(15)) }

  /// The live session of a request, whose token is in a header or cookie of the session's name.
  func journeySession(of request: HTTPRequest, realm: String) -> SignOnSession? {
    session(of: request.headers[journeyCookie] ?? request.headers.cookies[journeyCookie], realm: realm)
  }

  /// What a client is told of its session.
  func json(of session: SignOnSession?, realm: String, successURL: String) -> JSON {
    .present([
      ("tokenId", session.map { .string($0.token) }), ("successUrl", .string(successURL)),
      ("realm", .string(realm == "root" ? "/" : "/\(realm)")),
    ])
  }

  nonisolated static let successURL = "/am/console"
}

/// The pages that end a journey.
enum JourneyEnds {
  /// The user who has signed on gets a session, unless the client wants none.
  static let success = FlowPageKind("success") { members throws(FlowFileError) in
    let url = try members.optional("successUrl")?.template() ?? FlowTemplate(.string(Tenant.successURL))
    let methods = try members.optional("amr")?.texts() ?? ["pwd"]
    return { play throws(PingOneError) in
      guard let user = play.user else { throw .invalidRequest("Nobody has signed on.") }
      let (tenant, realm) = (play.tenant, play.parameters["realm"] ?? "")
      guard play.parameters["noSession"] != "true" else {
        return .plain(200, tenant.json(of: nil, realm: realm, successURL: url.text(in: play)))
      }
      let session = tenant.startSession(of: user, methods: methods, acr: play.flow.id, realm: realm)
      let body = tenant.json(of: session, realm: realm, successURL: url.text(in: play))
      var response = HTTPResponse.plain(200, body)
      response.headers.add("Set-Cookie", "\(tenant.journeyCookie)=\(session.token); Path=/; HttpOnly")
      response.headers.add("Set-Cookie", "amlbcookie=01; Path=/")
      return response
    }
  }

  /// The journey has come to nothing.
  static let failure = FlowPageKind("failure") { members throws(FlowFileError) in
    let status = try members.optional("status")?.int(400...499) ?? 401
    let message = try members.optional("message")?.template() ?? FlowTemplate("Login failure")
    let detail = try members.optional("detail")?.template()
    return { play in .am(status, message.text(in: play), detail: detail?.json(in: play)) }
  }
}
