import JSON
import JSONRPC
import Testing
import WebAddress

@testable import SignOn

@Suite("URLs of a realm")
struct JourneyServerTests {
  private static func server(_ url: String, _ realm: String) throws -> JourneyServer {
    let url = try #require(WebURL(url))
    return try #require(JourneyServer(url, realm: realm, cookie: "c"))
  }

  @Test(
    "realms are below the root realm, in each notation",
    arguments: [
      ("root", ""), ("/", ""), ("alpha", "/realms/alpha"), ("/alpha", "/realms/alpha"),
      ("root/alpha", "/realms/alpha"), ("alpha/beta/", "/realms/alpha/realms/beta"),
      ("a?b#%", "/realms/a%3Fb%23%25"),
    ]
  )
  func paths(realm: String, path: String) throws {
    for base in ["https://am.example/am", "https://am.example/am/"] {
      let server = try Self.server(base, realm)
      #expect(server.authenticate.text == "https://am.example/am/json/realms/root\(path)/authenticate")
      #expect(server.issuer.text == "https://am.example/am/oauth2/realms/root\(path)")
    }
  }

  @Test("a returned URL must belong to the server or the redirect URI")
  func returned() throws {
    let server = try Self.server("https://am.example:8443/am", "alpha")
    func read(_ address: String) throws -> JourneyReturn {
      try JourneyReturn(address, server: server, redirectURI: "org.app://cb")
    }
    let link = try read(" https://am.example:8443/x?a=b&suspendedId=s&code=c&realm=/#f\n")
    #expect(link.isSuspension && link.query.map(\.0) == ["suspendedId", "code"])
    let redirect = try read("org.app://cb?state=s&form_post_entry=f&suspendedId=")
    #expect(!redirect.isSuspension && redirect.query.map(\.0) == ["state", "form_post_entry"])
    let refused = [
      "", "https://am.example:8443/x", "https://am.example/x?suspendedId=s",
      "http://am.example:8443/x?code=s",
      "https://am.example:8443@evil.example/?code=s", "https://am.example:8443/?suspendedId=s&suspendedId=t",
      "https://am.example:8443/?code=%FF", "org.app://cb.evil?code=s", "https://am.example:8443/?x=y",
      "?code=c",
    ]
    for address in refused {
      #expect(throws: RPCError.invalidParameter("uri"), "\(address)") { _ = try read(address) }
    }
  }
}

@Suite("device profile")
struct DeviceProfileTests {
  private static func profile(_ origin: String, _ owner: UInt32, machine: String? = "m") throws
    -> DeviceProfile
  {
    try DeviceProfile(
      posture: ["os": ["id": "debian", "version": "12", "kernel": "6.1"], "secureBoot": "enabled"],
      for: try #require(WebURL(origin)).origin,
      of: owner,
      machineID: machine
    )
  }

  @Test("the profile contains the measured values, and metadata only if requested")
  func told() throws {
    let json = try Self.profile("https://am.example", 1000).json(withMetadata: true)
    #expect(
      json["metadata"]?["platform"]?["version"] == "6.1"
        && json["metadata"]?["platform"]?["brand"] == "debian"
    )
    #expect(json.object?.names == ["identifier", "metadata"])
    #expect(!json.text.contains("location") && !json.text.contains("secureBoot"))
    #expect(
      try Self.profile("https://am.example", 1000).json(withMetadata: false).object?.names == ["identifier"]
    )
    #expect(try Self.profile("https://am.example", 1000, machine: nil).json(withMetadata: false) == [:])
  }

  @Test("the identifier is stable per server and owner, and differs between servers")
  func identifier() throws {
    func identifier(_ origin: String, _ owner: UInt32) throws -> String {
      try #require(try Self.profile(origin, owner).json(withMetadata: false)["identifier"]?.string)
    }
    let first = try identifier("https://am.example", 1000)
    #expect(try identifier("https://am.example", 1000) == first && first.count == 43)
    #expect(try identifier("https://other.example", 1000) != first)
    #expect(try identifier("https://am.example", 1001) != first)
  }
}
