import EventLoop
import HTTPServer
import JOSE
import JSON
import Time

/// `userinfo`: the claims about the user of an access token.
enum UserInfoRoutes {
  static let routes: [Route<Endpoint>] = [
    .anyone("GET", "/{environment}/as/userinfo", read),
    .anyone("POST", "/{environment}/as/userinfo", read),
  ]

  @EventLoop
  private static func read(_ call: Call) throws(PingOneError) -> HTTPResponse {
    guard let (user, scope) = bearer(of: call) else {
      var response = PingOneError.oauth("invalid_token", "the access token is not valid", status: 401)
        .response
      response.headers.add("WWW-Authenticate", #"Bearer error="invalid_token""#)
      return response
    }
    let profile = call.tenant.profile(of: user, scope: scope)
    return .plain(200, .present([("sub", .id(user.id))] + profile))
  }

  /// The user of the request's access token, with its scope.
  @EventLoop
  private static func bearer(of call: Call) -> (User, [String])? {
    let tenant = call.tenant
    guard let header = call.request.headers["authorization"], header.hasPrefix("Bearer "),
      let token = try? CompactJWS(parsing: header.dropFirst("Bearer ".count)), token.header.type == "at+jwt",
      let claims = try? token.verified(with: tenant.tokenKey().jwk, allowing: [.rs256]).claims(),
      let end = claims["exp"]?.int, end > tenant.clock.now.seconds,
      let subject = claims["sub"]?.string, let user = tenant.users[ID(subject)]
    else { return nil }
    return (user, (claims["scope"]?.string ?? "").split(separator: " ").map { String($0) })
  }
}
