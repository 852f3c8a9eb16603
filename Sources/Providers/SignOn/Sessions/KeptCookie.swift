internal import JSON
internal import Time

// The cookies by which an issuer knows a user again, so that the next sign-on asks for less.

extension CookieJar {
  /// The names under which PingOne keeps a session; all other cookies belong to one sign-on.
  private static let sessionNames: Set<String> = ["ST", "ST-NO-SS"]

  /// The cookies that outlive a sign-on.
  var sessionCookies: [Cookie] { cookies.filter { Self.sessionNames.contains($0.name) } }
}

extension CookieJar.Cookie {
  /// The cookie as it is kept.
  var json: JSON {
    var object: JSONObject = ["name": .string(name), "value": .string(value), "path": .string(path)]
    object["expires_at"] = expiresAt.map { .int($0.seconds) }
    return .object(object)
  }

  /// The cookie that was kept.
  init?(kept json: JSON) {
    guard let name = json["name"]?.string, let value = json["value"]?.string, let path = json["path"]?.string
    else { return nil }
    let end = json["expires_at"]?.int.map { Timestamp(seconds: $0) }
    self.init(name: name, value: value, path: path, expiresAt: end)
  }
}
