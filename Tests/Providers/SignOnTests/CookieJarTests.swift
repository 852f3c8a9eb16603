import Testing
import Time
import WebAddress

@testable import SignOn

@Suite("cookies of a sign-on")
struct CookieJarTests {
  private static let now = Timestamp(seconds: 1_800_000_000)

  private static func url(_ text: String = "https://auth.example.com/e-1/flows/f") throws -> WebURL {
    try #require(WebURL(text))
  }

  private static func field(_ cookies: String...) throws -> String? {
    try field(cookies, at: url(), for: url())
  }

  private static func field(_ cookies: [String], at source: WebURL, for target: WebURL) -> String? {
    var jar = CookieJar(origin: source.origin)
    for cookie in cookies { jar.take(cookie, from: source, now: now) }
    return jar.field(for: target)
  }

  @Test("cookies are sent back unchanged, with the newest value of each name")
  func kept() throws {
    #expect(try Self.field() == nil)
    #expect(try Self.field("ST=abc; Path=/; Secure; HttpOnly") == "ST=abc")
    #expect(try Self.field("a=1", "b=2", "a=3") == "b=2; a=3")
    #expect(try Self.field("a = x=y \t; Max-Age=60") == "a=x=y")
    #expect(try Self.field("a=") == "a=")
  }

  @Test(
    "an expired lifetime deletes the cookie",
    arguments: [
      "Max-Age=0", "max-age=-1", "MAX-AGE=-99999999999999999999", "Expires=Thu, 01 Jan 1970 00:00:00 GMT",
      "expires=Wed, 13-Jan-2027 08:00:00 GMT", "Expires=Fri, 15 Jan 2027 09:00:00 GMT; Max-Age=0",
    ]
  )
  func ended(attribute: String) throws {
    #expect(try Self.field("a=1", "b=2", "a=x; \(attribute)") == "b=2")
  }

  @Test(
    "a cookie for the host or a parent domain is accepted",
    arguments: ["auth.example.com", ".example.com", "example.com", "AUTH.EXAMPLE.COM"]
  )
  func domains(domain: String) throws {
    #expect(try Self.field("a=1; Domain=\(domain)") == "a=1")
  }

  @Test(
    "a cookie for another host or a top-level domain is ignored",
    arguments: ["com", "other.example.com", "ample.com", "x.auth.example.com", "evil.com", "", "."]
  )
  func foreign(domain: String) throws {
    #expect(try Self.field("a=1; Domain=\(domain)") == nil)
  }

  @Test("malformed and oversized cookies, and those above the limit, are ignored")
  func limits() throws {
    #expect(try Self.field("nothing", "=1", " =1", "") == nil)
    #expect(try Self.field("a=" + String(repeating: "x", count: 4096)) == nil)
    let url = try Self.url("https://h/")
    var jar = CookieJar(origin: url.origin)
    for index in 0..<100 { jar.take("c\(index)=1", from: url, now: Self.now) }
    #expect(jar.field(for: url)?.split(separator: ";").count == 32)
    jar.take("c0=2", from: url, now: Self.now)
    #expect(jar.field(for: url)?.hasSuffix("c0=2") == true, "a known name is still replaced")
  }

  @Test("all cookies together have at most 16 KiB, also restored ones")
  func total() throws {
    let url = try Self.url("https://h/")
    var jar = CookieJar(origin: url.origin)
    let large = String(repeating: "x", count: 4000)
    for index in 0..<5 { jar.take("c\(index)=\(large)", from: url, now: Self.now) }
    jar.take("small=1", from: url, now: Self.now)
    #expect(jar.cookies.map(\.name) == ["c0", "c1", "c2", "c3", "small"])
    jar.take("c0=\(large)", from: url, now: Self.now)
    #expect(jar.cookies.map(\.name) == ["c1", "c2", "c3", "small", "c0"], "a replaced cookie has room")
    var restored = CookieJar(origin: url.origin)
    restored.restore(jar.cookies + [jar.cookies[0]], now: Self.now)
    #expect(restored.cookies.map(\.name) == jar.cookies.map(\.name))
  }

  @Test("a cookie with a future or invalid expiry is kept")
  func living() throws {
    #expect(try Self.field("a=1; Expires=Sat, 16 Jan 2027 08:00:00 GMT") == "a=1")
    #expect(try Self.field("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=5") == "a=1")
    #expect(try Self.field("a=1; Expires=sometime") == "a=1")
  }

  @Test("a cookie is sent to its path and below, longer paths first")
  func paths() throws {
    let source = try Self.url()
    let cookies = ["root=1; Path=/", "env=2; Path=/e-1", "own=3", "other=4; Path=/e-2", "odd=5; Path=x"]
    #expect(Self.field(cookies, at: source, for: source) == "own=3; odd=5; env=2; root=1")
    #expect(
      Self.field(cookies, at: source, for: try Self.url("https://auth.example.com/e-1")) == "env=2; root=1"
    )
    #expect(Self.field(cookies, at: source, for: try Self.url("https://auth.example.com/e-10")) == "root=1")
  }

  @Test("a secure cookie is accepted from a secure or loopback origin only")
  func secure() throws {
    for (text, expected) in [
      ("https://h.example/", "a=1"), ("http://127.0.0.1/", "a=1"), ("http://h.example/", nil),
    ] {
      let url = try Self.url(text)
      #expect(Self.field(["a=1; Secure"], at: url, for: url) == expected, "\(text)")
    }
  }
}
