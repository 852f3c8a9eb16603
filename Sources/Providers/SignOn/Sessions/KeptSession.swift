internal import JSON

/// What is kept of a sign-on: its tokens, what the issuer said of the user, and by what it knows the user again.
struct KeptSession: Sendable {
  var tokens: Tokens
  var claims: JSONObject?
  let cookies: [CookieJar.Cookie]

  init(tokens: Tokens, cookies: [CookieJar.Cookie]) { (self.tokens, self.cookies) = (tokens, cookies) }

  /// What was kept; `nil` for what holds no tokens.
  init?(_ json: JSON) {
    guard let tokens = json["tokens"].flatMap({ Tokens(kept: $0) }) else { return nil }
    self.tokens = tokens
    claims = json["claims"]?.object
    cookies = (json["cookies"]?.array ?? []).compactMap { CookieJar.Cookie(kept: $0) }
  }

  /// The session as it is kept.
  var json: JSON {
    var object: JSONObject = ["tokens": tokens.json]
    object["claims"] = claims.map { .object($0) }
    if !cookies.isEmpty { object["cookies"] = .array(cookies.map(\.json)) }
    return .object(object)
  }
}
