import EventLoop
import HTTPServer
import JSON

@EventLoop
enum UserInfo {
  static func read(_ call: Call) throws(Refusal) -> HTTPResponse {
    let realm = try call.provider().realm
    guard let access = call.bearer.flatMap({ call.tenant.accessToken($0) }), access.realm == realm else {
      throw Refusal.oauth("invalid_token", "the access token is not valid", status: 401)
        .challenging(#"Bearer error="invalid_token""#)
    }
    let scope = (access.claims["scope"]?.string ?? "").split(separator: " ").map { String($0) }
    let subject = call.tenant.subject(access.user, realm: realm)
    return .plain(["sub": subject], adding: access.user.claims(scope: scope))
  }
}

extension User {
  func claims(scope: [String]) -> JSONObject {
    let isOpen = scope.contains("profile")
    return JSONObject(of: [
      "preferred_username": isOpen ? username : nil, "given_name": isOpen ? given : nil,
      "family_name": isOpen ? family : nil, "email": scope.contains("email") ? email : nil,
    ])
  }
}
