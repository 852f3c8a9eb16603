import JSON
import Testing
import WebAddress

@testable import OpenIDConnect

@Suite("issuer metadata")
struct ProviderMetadataTests {
  private static let issuer = "https://auth.example/e-1/as"

  private static func document(_ changes: JSONObject = [:]) -> JSON {
    var document: JSONObject = [
      "issuer": .string(issuer), "authorization_endpoint": "https://auth.example/e-1/as/authorize",
      "token_endpoint": "https://auth.example/e-1/as/token",
      "pushed_authorization_request_endpoint": "https://auth.example/e-1/as/par",
      "jwks_uri": "https://auth.example/e-1/as/jwks",
    ]
    for member in changes.members { document[member.name] = member.value.isNull ? nil : member.value }
    return .object(document)
  }

  @Test("endpoints on the issuer's origin are accepted, and each endpoint is optional")
  func accepted() throws {
    let metadata = try #require(ProviderMetadata(Self.document(), issuer: Self.issuer))
    #expect(metadata[.authorization]?.text == "https://auth.example/e-1/as/authorize")
    #expect(metadata[.token]?.text == "https://auth.example/e-1/as/token")
    #expect(metadata[.pushedAuthorization]?.text == "https://auth.example/e-1/as/par")
    #expect(metadata[.keys]?.text == "https://auth.example/e-1/as/jwks")
    let bare = try #require(ProviderMetadata(["issuer": .string(Self.issuer)], issuer: Self.issuer))
    for endpoint in ProviderMetadata.Endpoint.allCases { #expect(bare[endpoint] == nil) }
    #expect(!bare.requiresPushedAuthorization)
  }

  @Test(
    "metadata that names another issuer is rejected",
    arguments: [
      "https://auth.example/e-1/as/", "https://auth.example/e-2/as", "https://AUTH.example/e-1/as",
      "http://auth.example/e-1/as", "https://auth.example:443/e-1/as",
    ]
  )
  func otherIssuer(issuer: String) {
    #expect(ProviderMetadata(Self.document(["issuer": .string(issuer)]), issuer: Self.issuer) == nil)
  }

  @Test("metadata without a valid issuer, or that is not an object, is rejected")
  func noIssuer() {
    #expect(ProviderMetadata(Self.document(["issuer": .null]), issuer: Self.issuer) == nil)
    #expect(ProviderMetadata(Self.document(["issuer": 1]), issuer: Self.issuer) == nil)
    #expect(ProviderMetadata([], issuer: Self.issuer) == nil)
    #expect(ProviderMetadata(Self.document(), issuer: "no url") == nil)
  }

  @Test("one endpoint on another origin invalidates the metadata")
  func elsewhere() {
    let urls = [
      "https://evil.example/x", "http://auth.example/x", "https://auth.example:444/x",
      "https://auth.example.evil.example/x", "https://auth.example@evil.example/x", "/e-1/as/x", "",
    ]
    for name in ProviderMetadata.Endpoint.allCases.map(\.rawValue) {
      for url in urls {
        var change = JSONObject()
        change[name] = .string(url)
        let document = Self.document(change)
        #expect(ProviderMetadata(document, issuer: Self.issuer) == nil, "\(name) \(url)")
      }
    }
  }
}
