internal import JSON
internal import Time

/// The cookies by which an issuer knows a user again, so that the next sign-on asks for less.
struct KeptCookies: Sendable {
  /// Whose session they are.
  let user: String
  let cookies: [CookieJar.Cookie]

  /// The names under which PingOne keeps a session; all others belong to one sign-on.
  private static let names: Set<String> = ["ST", "ST-NO-SS"]

  /// What is to be kept of a sign-on; `nil` if it left nothing.
  init?(of user: String, in jar: CookieJar) {
    self.user = user
    cookies = jar.cookies.filter { Self.names.contains($0.name) }
    if cookies.isEmpty { return nil }
  }

  /// What was kept; `nil` for what holds no cookies.
  init?(_ json: JSON) {
    guard let user = json["user"]?.string, let list = json["cookies"]?.array else { return nil }
    self.user = user
    cookies = list.compactMap { cookie in
      guard let name = cookie["name"]?.string, Self.names.contains(name),
        let value = cookie["value"]?.string, let path = cookie["path"]?.string
      else { return nil }
      let end = cookie["expires_at"]?.int.map { Timestamp(seconds: $0) }
      return CookieJar.Cookie(name: name, value: value, path: path, expiresAt: end)
    }
  }

  /// The cookies as they are kept.
  var json: JSON {
    let list = cookies.map { cookie -> JSON in
      var object: JSONObject = [
        "name": .string(cookie.name), "value": .string(cookie.value), "path": .string(cookie.path),
      ]
      object["expires_at"] = cookie.expiresAt.map { .int($0.seconds) }
      return .object(object)
    }
    return ["user": .string(user), "cookies": .array(list)]
  }
}
