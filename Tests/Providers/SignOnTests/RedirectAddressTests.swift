import JSON
import Testing
import WebAddress

@testable import SignOn

@Suite("redirect URLs")
struct RedirectAddressTests {
  private static func names(_ address: String) -> [String]? {
    RedirectAddress(pasted: address)?.parameters?.map(\.0)
  }

  @Test("query parameters are parsed from a pasted URL with line breaks and spaces")
  func parameters() throws {
    for address in [
      "app:/cb?code=a+b&state=", " http://127.0.0.1/cb?code=a%20b&sta\r\n te=#x?y=z\n", "?code=a%20b&state",
    ] {
      let parameters = try #require(RedirectAddress(pasted: address)?.parameters)
      #expect(parameters.map(\.0) == ["code", "state"] && parameters.map(\.1) == ["a b", ""])
    }
    #expect(RedirectAddress("app:/cb?code=x")?.members == ["code": "x"])
  }

  @Test(
    "missing, repeated, malformed and too many parameters are rejected",
    arguments: [
      "", "app:/cb", "app:/cb?", "app:/cb?#code=x", "app:/cb?code=x&code=x", "app:/cb?code=x&%63ode=y",
      "app:/cb?code=%FF", "app:/cb?code=%2", "app:/cb?" + (0...64).map { "a\($0)=" }.joined(separator: "&"),
      "app:/cb?code=" + String(repeating: "x", count: 16 * 1024),
    ]
  )
  func refused(address: String) {
    #expect(Self.names(address) == nil)
    #expect(RedirectAddress(address)?.members == nil)
  }

  @Test("up to 64 parameters are parsed")
  func most() {
    #expect(Self.names("app:/cb?" + (1...64).map { "a\($0)=" }.joined(separator: "&"))?.count == 64)
  }

  @Test("a URL matches only its redirect URI")
  func leads() throws {
    func leads(_ address: String, _ redirectURI: String) -> Bool {
      RedirectAddress(address)?.leads(to: redirectURI) == true
    }
    #expect(leads("http://localhost/?a=b", "http://localhost"))
    #expect(leads("HTTP://LOCALHOST:80?a=b", "http://localhost/"))
    #expect(leads("org.app://cb#x", "org.app://cb"))
    for other in [
      "http://localhost:81", "https://localhost", "http://localhost/x", "http://user@localhost/",
      "org.app://cb", "http://127.0.0.1/", "",
    ] {
      #expect(!leads("http://localhost/?a=b", other), "\(other)")
      #expect(!leads(other + "?a=b", "http://localhost/"), "\(other)")
    }
    // Canonically equivalent, but another URL.
    #expect(!leads("org.app://\u{E9}", "org.app://e\u{301}"))
  }

  @Test("any port matches on a loopback redirect URI, and on no other")
  func ports() {
    func leads(_ address: String, _ redirectURI: String) -> Bool {
      RedirectAddress(address)?.leads(toAnyPortOf: redirectURI) == true
    }
    #expect(leads("http://127.0.0.1:4711/cb?a=b", "http://127.0.0.1/cb"))
    #expect(leads("http://127.0.0.1/cb?a=b", "http://127.0.0.1:4711/cb"))
    #expect(leads("org.app://cb?a=b", "org.app://cb"))
    for other in ["http://127.0.0.2/cb", "https://127.0.0.1/cb", "http://127.0.0.1/", "org.app://cb"] {
      #expect(!leads("http://127.0.0.1:4711/cb?a=b", other), "\(other)")
    }
    #expect(!leads("https://app.example:444/cb?a=b", "https://app.example/cb"))
  }

  @Test("a URL belongs to a server if its origin is equal")
  func origins() throws {
    let origin = try #require(WebURL("https://am.example:8443/am")?.origin)
    #expect(RedirectAddress("https://am.example:8443/x?a=b#c")?.leads(to: origin) == true)
    for other in [
      "https://am.example/x", "http://am.example:8443/x", "https://am.example:8443@evil.example/",
      "https://am.example:8443.evil.example/", "//am.example:8443/x", "",
    ] {
      #expect(RedirectAddress(other)?.leads(to: origin) != true, "\(other)")
    }
  }
}
