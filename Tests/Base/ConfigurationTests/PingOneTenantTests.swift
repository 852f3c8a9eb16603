import Configuration
import Testing
import WebAddress

@Suite("The tenant of an issuer")
struct PingOneTenantTests {
  private static func configuration(_ lines: String) throws -> Configuration {
    try Configuration(parsing: lines, file: "mfad.conf")
  }

  @Test(
    "region and environment come from an issuer in PingOne's published form",
    arguments: [
      ("com", "com"), ("ca", "ca"), ("eu", "eu"), ("com.au", "com.au"), ("sg", "sg"), ("asia", "asia"),
    ]
  )
  func published(issuer: String, api: String) throws {
    let text = "https://auth.pingone.\(issuer)/2a1f/as"
    let configuration = try Self.configuration("issuer = \(text)")
    let tenant = try #require(configuration.tenant(of: text))
    #expect(tenant.api.text == "https://api.pingone.\(api)/" && tenant.environment == "2a1f")
    #expect(configuration.allowedOrigins == [try #require(WebURL(text)).origin, tenant.api.origin])
  }

  @Test(
    "an issuer in any other form has no tenant",
    arguments: [
      "https://auth.pingone.eu/as", "https://auth.pingone.eu/2a1f/as/", "https://auth.pingone.eu/2a1f/as?x=1",
      "https://auth.pingone.eu/../as", "https://auth.pingone.eu/a/b/as", "http://auth.pingone.eu/2a1f/as",
      "https://auth.pingone.eu:8443/2a1f/as", "https://auth.pingone.eu.example.com/2a1f/as",
      "https://pingone.eu/2a1f/as", "https://login.example.com/2a1f/as", "not a URL",
    ]
  )
  func others(issuer: String) throws {
    #expect(try Self.configuration("").tenant(of: issuer) == nil)
  }

  @Test("configured tenant applies to a custom domain but not to a published issuer")
  func custom() throws {
    let configuration = try Self.configuration(
      """
      issuer = https://login.example.com/as
      pingone_api = https://api.pingone.eu
      pingone_environment = e-1
      """
    )
    let tenant = try #require(configuration.tenant(of: "https://login.example.com/as"))
    #expect(tenant.api.text == "https://api.pingone.eu/" && tenant.environment == "e-1")
    #expect(configuration.tenant(of: "https://auth.pingone.ca/e-2/as")?.api.text == "https://api.pingone.ca/")
    #expect(configuration.allowedOrigins.contains(tenant.api.origin))
  }

  @Test("a loopback issuer is its own API if allow_loopback_http is set")
  func sandbox() throws {
    let issuer = "http://127.0.0.1:8080/e-1/as"
    let tenant = try Self.configuration("allow_loopback_http = yes").tenant(of: issuer)
    #expect(tenant?.api.text == "http://127.0.0.1:8080/" && tenant?.environment == "e-1")
    #expect(try Self.configuration("").tenant(of: issuer) == nil)
  }

  @Test(
    "pingone_api refuses an address that is not a PingOne API",
    arguments: [
      "https://api.example.com", "https://api.pingone.eu/x", "https://api.pingone.eu:444",
      "http://api.pingone.eu", "http://127.0.0.1:8080",
    ]
  )
  func interface(address: String) {
    #expect(throws: ConfigurationError.self) { try Self.configuration("pingone_api = \(address)") }
  }
}
