internal import JSON

/// What is kept of a sign-on: its tokens, and what the issuer said of the user.
struct KeptSession: Sendable {
  var tokens: Tokens
  var claims: JSONObject?

  init(tokens: Tokens) { self.tokens = tokens }

  /// What was kept; `nil` for what holds no tokens.
  init?(_ json: JSON) {
    guard let tokens = json["tokens"].flatMap({ Tokens(kept: $0) }) else { return nil }
    self.tokens = tokens
    claims = json["claims"]?.object
  }

  /// The session as it is kept.
  var json: JSON {
    var object: JSONObject = ["tokens": tokens.json]
    object["claims"] = claims.map { .object($0) }
    return .object(object)
  }
}
