import Testing

@testable import SignOn

@Suite("Cookies of a sign-on")
struct CookieJarTests {
  private static func field(_ cookies: String...) -> String? {
    var jar = CookieJar(host: "auth.example.com")
    for cookie in cookies { jar.take(cookie) }
    return jar.field
  }

  @Test("cookies are sent back as they came, the newest value of a name")
  func kept() {
    #expect(Self.field() == nil)
    #expect(Self.field("ST=abc; Path=/; Secure; HttpOnly") == "ST=abc")
    #expect(Self.field("a=1", "b=2", "a=3") == "b=2; a=3")
    #expect(Self.field("a = x=y \t; Max-Age=60") == "a=x=y")
    #expect(Self.field("a=") == "a=")
  }

  @Test(
    "a life that is over ends a cookie",
    arguments: ["Max-Age=0", "max-age=-1", "MAX-AGE=-99999999999999999999"]
  )
  func ended(attribute: String) {
    #expect(Self.field("a=1", "b=2", "a=x; \(attribute)") == "b=2")
  }

  @Test(
    "a cookie for the host or a domain above it is taken",
    arguments: ["auth.example.com", ".example.com", "example.com", "AUTH.EXAMPLE.COM"]
  )
  func domains(domain: String) {
    #expect(Self.field("a=1; Domain=\(domain)") == "a=1")
  }

  @Test(
    "a cookie for anybody else is left out",
    arguments: ["com", "other.example.com", "ample.com", "x.auth.example.com", "evil.com", "", "."]
  )
  func foreign(domain: String) {
    #expect(Self.field("a=1; Domain=\(domain)") == nil)
  }

  @Test("what is no cookie, and what is too large or too much, is left out")
  func limits() {
    #expect(Self.field("nothing", "=1", " =1", "") == nil)
    #expect(Self.field("a=" + String(repeating: "x", count: 4096)) == nil)
    var jar = CookieJar(host: "h")
    for index in 0..<100 { jar.take("c\(index)=1") }
    #expect(jar.field?.split(separator: ";").count == 32)
    jar.take("c0=2")
    #expect(jar.field?.hasSuffix("c0=2") == true, "a known name is still replaced")
  }
}
