import HTTPServer
import OpenSSL
import Time

/// A user who has signed on, known by a cookie.
struct SignOnSession: Stored, Codable {
  let id: ID<SignOnSession>
  let user: ID<User>
  let signedOnAt: Timestamp
  /// How the user has shown who they are, RFC 8176.
  let methods: [String]
  /// What was played, as ID tokens call it.
  let acr: String
  let deadline: Deadline
  let token: String
  /// AM's realm that the session is of; `nil` for the platform's own.
  var realm: String?

  static let seconds = 30 * 24 * 3600
  static let cookie = "ST"
  static let maximumCount = 1000
}

extension Tenant {
  /// Its cookie is new, because a token that somebody knew before the sign-on is worth nothing after it.
  func startSession(
    _ id: ID<SignOnSession> = .random(),
    of user: ID<User>,
    methods: [String] = ["pwd"],
    acr: String,
    realm: String? = nil
  ) -> SignOnSession {
    let session = SignOnSession(
      id: id,
      user: user,
      signedOnAt: clock.now,
      methods: methods,
      acr: acr,
      deadline: clock.deadline(in: SignOnSession.seconds),
      token: randomText(43, of: tokenAlphabet),
      realm: realm
    )
    sessions.put(session)
    return session
  }

  func session(of request: HTTPRequest) -> SignOnSession? {
    session(of: request.headers.cookies[SignOnSession.cookie], realm: nil)
  }

  func session(of token: String?, realm: String?) -> SignOnSession? {
    guard let token else { return nil }
    let found = sessions.first { constantTimeEqual(Array($0.token.utf8), Array(token.utf8)) }
    guard let found, found.realm == realm, !clock.isOver(found.deadline), users[found.user] != nil else {
      return nil
    }
    return found
  }
}

extension HTTPResponse {
  /// The response with the cookie of a sign-on or session, which has to come back.
  func with(cookie token: String, in environment: Environment, _ more: String = "") -> HTTPResponse {
    let attributes = "Path=/\(environment.id.text)\(more); HttpOnly; SameSite=Lax"
    return with("Set-Cookie", "\(SignOnSession.cookie)=\(token); \(attributes)")
  }
}
