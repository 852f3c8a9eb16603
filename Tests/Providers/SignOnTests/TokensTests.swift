import CourierProtocol
import JSON
import Testing
import Time
import WebAddress

@testable import SignOn

private let now = Timestamp(seconds: 1_800_000_000)

@Suite("token responses")
struct TokensTests {
  private static let full: JSON = [
    "access_token": "a", "token_type": "bearer", "expires_in": 60, "scope": "openid", "id_token": "i",
    "refresh_token": "r",
  ]

  @Test("tokens and their expiry are parsed")
  func read() throws {
    let tokens = try #require(Tokens(Self.full, now: now))
    #expect(tokens.accessToken == "a" && tokens.idToken == "i" && tokens.refreshToken == "r")
    #expect(tokens.expiresAt == now.adding(seconds: 60))
    #expect(Tokens(["access_token": "a"], now: now)?.expiresAt == now.adding(seconds: 3600))
    #expect(Tokens(["access_token": "a", "expires_in": "7"], now: now)?.expiresAt == now.adding(seconds: 7))
    #expect(Tokens(["access_token": "a", "expires_in": -9], now: now)?.expiresAt == now)
    let endless = try #require(Tokens(["access_token": "a", "expires_in": .int(.max)], now: now))
    #expect(endless.expiresAt < now.adding(seconds: 400 * 86_400))
  }

  @Test("a response without a bearer token is rejected")
  func refused() {
    let answers: [JSON] = [
      [:], [], ["access_token": ""], ["access_token": 1], ["access_token": "a", "token_type": "DPoP"],
      ["id_token": "i"],
    ]
    for answer in answers { #expect(Tokens(answer, now: now) == nil, "\(answer.text)") }
  }

  @Test("a refresh keeps omitted values and replaces the others")
  func completed() throws {
    let old = try #require(Tokens(Self.full, now: now))
    let bare = try #require(Tokens(["access_token": "b", "expires_in": 5], now: now)).completed(by: old)
    #expect(
      bare.accessToken == "b" && bare.refreshToken == "r" && bare.idToken == "i" && bare.scope == "openid"
    )
    let rotated: JSON = ["access_token": "b", "refresh_token": "r2", "id_token": "i2", "scope": "s2"]
    let new = try #require(Tokens(rotated, now: now)).completed(by: old)
    #expect(new.refreshToken == "r2" && new.idToken == "i2" && new.scope == "s2")
  }

  @Test("kept sessions store tokens, session cookies and user claims")
  func kept() throws {
    let tokens = try #require(Tokens(Self.full, now: now))
    #expect(Tokens(kept: tokens.json) == tokens)
    let url = try #require(WebURL("https://auth.example/e-1/as/authorize"))
    var jar = CookieJar(origin: url.origin)
    for field in ["ST=s; Path=/; Max-Age=60", "ST-NO-SS=n", "interactionId=i", "st=other"] {
      jar.take(field, from: url, now: now)
    }
    var session = KeptSession(tokens: tokens, cookies: jar.sessionCookies)
    #expect(KeptSession(session.json)?.claims == nil)
    let cookies = try #require(KeptSession(session.json)?.cookies)
    #expect(cookies == jar.sessionCookies && cookies.map(\.name) == ["ST", "ST-NO-SS"])
    #expect(cookies.map(\.expiresAt) == [now.adding(seconds: 60), nil])
    jar.restore(cookies, now: now.adding(seconds: 61))
    #expect(jar.field(for: url) == "ST-NO-SS=n", "what is over is not restored")
    session.claims = ["sub": "u"]
    #expect(KeptSession(session.json)?.tokens == tokens)
    #expect(KeptSession(session.json)?.claims == ["sub": "u"])
    #expect(KeptSession(["cookies": []]) == nil)
  }

  @Test("an OAuth error is parsed with any status")
  func errors() {
    func error(_ status: Int, _ body: String) -> OAuthError? {
      OAuthError(CourierResponse(status: status, headers: [], body: Array(body.utf8)))
    }
    #expect(error(403, #"{"error":"authorization_pending"}"#)?.code == "authorization_pending")
    #expect(error(400, #"{"error":"x","error_description":"a\u0007b"}"#)?.message == "ab")
    #expect(error(400, #"{"error":1}"#) == nil && error(400, "<html>") == nil)
    #expect(error(400, #"{"error":"\#(String(repeating: "x", count: 65))"}"#) == nil)
  }
}

@Suite("Accept-Language of page requests")
struct AcceptLanguageTests {
  @Test(
    "a locale becomes a list with the bare language second",
    arguments: [
      ("en-GB", "en-GB, en;q=0.9"), ("de", "de"), ("en_GB.UTF-8", "en-GB, en;q=0.9"),
      ("de_DE@euro", "de-DE, de;q=0.9"), ("fr;q=1, en;q=0.5", "fr;q=1, en;q=0.5"),
    ]
  )
  func field(locale: String, expected: String) { #expect(AcceptLanguage.field(locale) == expected) }

  @Test("an invalid locale is not sent", arguments: ["", "C", "POSIX", "C.UTF-8", "en\r\nX: y", "é", "-"])
  func refused(locale: String) { #expect(AcceptLanguage.field(locale) == nil) }
}
