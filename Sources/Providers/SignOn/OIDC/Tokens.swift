internal import JSON
internal import Time

/// The response of a token endpoint, RFC 6749 section 5.1.
struct Tokens: Sendable, Equatable {
  let accessToken: String
  /// Time when the access token expires.
  let expiresAt: Timestamp
  let scope: String?
  let idToken: String?
  let refreshToken: String?

  private static let standardLife = 3600
  private static let longestLife = 366 * 86_400

  /// Reads a response; `nil` without a bearer token.
  init?(_ response: JSON, now: Timestamp) {
    guard let accessToken = response["access_token"]?.string, !accessToken.isEmpty,
      response["token_type"]?.string?.lowercased() ?? "bearer" == "bearer"
    else { return nil }
    self.accessToken = accessToken
    let life = response["expires_in"].flatMap { $0.int ?? $0.string.flatMap { Int($0) } } ?? Self.standardLife
    expiresAt = now.adding(seconds: min(max(life, 0), Self.longestLife))
    scope = response["scope"]?.string
    idToken = response["id_token"]?.string
    refreshToken = response["refresh_token"]?.string
  }

  private init(
    _ accessToken: String,
    _ expiresAt: Timestamp,
    _ scope: String?,
    _ id: String?,
    _ refresh: String?
  ) {
    (self.accessToken, self.expiresAt, self.scope) = (accessToken, expiresAt, scope)
    (idToken, refreshToken) = (id, refresh)
  }

  /// Returns these tokens, with missing members taken from the tokens before the refresh.
  ///
  /// A response may omit the refresh token (RFC 6749 section 6) and the ID token (OpenID Connect Core section
  /// 12.2).
  func completed(by old: Tokens) -> Tokens {
    Tokens(
      accessToken,
      expiresAt,
      scope ?? old.scope,
      idToken ?? old.idToken,
      refreshToken ?? old.refreshToken
    )
  }

  /// The tokens as stored JSON.
  var json: JSON {
    var object: JSONObject = [
      "access_token": .string(accessToken), "expires_at": .int(expiresAt.seconds),
    ]
    object["scope"] = scope.map { .string($0) }
    object["id_token"] = idToken.map { .string($0) }
    object["refresh_token"] = refreshToken.map { .string($0) }
    return .object(object)
  }

  /// Reads stored JSON.
  init?(kept json: JSON) {
    guard let accessToken = json["access_token"]?.string, let end = json["expires_at"]?.int else {
      return nil
    }
    self.init(
      accessToken,
      Timestamp(seconds: end),
      json["scope"]?.string,
      json["id_token"]?.string,
      json["refresh_token"]?.string
    )
  }
}
