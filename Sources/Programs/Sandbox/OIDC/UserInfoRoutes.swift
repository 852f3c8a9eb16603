import EventLoop
import HTTPServer
import JSON

/// `userinfo`: the claims about the user of an access token.
enum UserInfoRoutes {
  static let routes: [Route<Endpoint>] = [
    .anyone("GET", "/{environment}/as/userinfo", read),
    .anyone("POST", "/{environment}/as/userinfo", read),
  ]

  private static let scheme = "Bearer "

  @EventLoop
  static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    let provider = try call.provider()
    guard let header = call.request.headers["authorization"], header.hasPrefix(scheme),
      let access = call.tenant.accessToken(header.dropFirst(scheme.count)), access.realm == provider.realm
    else {
      var response = PingOneError.oauth("invalid_token", "the access token is not valid", status: 401)
        .response
      response.headers.add("WWW-Authenticate", #"Bearer error="invalid_token""#)
      return response
    }
    let scope = (access.claims["scope"]?.string ?? "").split(separator: " ").map { String($0) }
    let profile = call.tenant.profile(of: access.user, scope: scope)
    return .plain(
      200,
      .present([("sub", .string(call.tenant.subject(access.user, realm: access.realm)))] + profile)
    )
  }
}
