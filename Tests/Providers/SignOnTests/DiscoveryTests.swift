import JSON
import Testing
import WebAddress

@testable import SignOn

@Suite("What an issuer says of itself")
struct DiscoveryTests {
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

  @Test("endpoints on the issuer's origin are taken, and any may be missing")
  func accepted() throws {
    let discovery = try #require(Discovery(Self.document(), issuer: Self.issuer))
    #expect(discovery[.authorization]?.text == "https://auth.example/e-1/as/authorize")
    #expect(discovery[.token]?.text == "https://auth.example/e-1/as/token")
    #expect(discovery[.pushedAuthorization]?.text == "https://auth.example/e-1/as/par")
    #expect(discovery[.keys]?.text == "https://auth.example/e-1/as/jwks")
    let bare = try #require(Discovery(["issuer": .string(Self.issuer)], issuer: Self.issuer))
    for endpoint in Discovery.Endpoint.allCases { #expect(bare[endpoint] == nil) }
    #expect(!bare.requiresPushedAuthorization)
  }

  @Test(
    "another issuer's document is refused",
    arguments: [
      "https://auth.example/e-1/as/", "https://auth.example/e-2/as", "https://AUTH.example/e-1/as",
      "http://auth.example/e-1/as", "https://auth.example:443/e-1/as",
    ]
  )
  func otherIssuer(issuer: String) {
    #expect(Discovery(Self.document(["issuer": .string(issuer)]), issuer: Self.issuer) == nil)
  }

  @Test("a document without an issuer, or that is no object, is refused")
  func noIssuer() {
    #expect(Discovery(Self.document(["issuer": .null]), issuer: Self.issuer) == nil)
    #expect(Discovery(Self.document(["issuer": 1]), issuer: Self.issuer) == nil)
    #expect(Discovery([], issuer: Self.issuer) == nil)
    #expect(Discovery(Self.document(), issuer: "no url") == nil)
  }

  @Test("one endpoint that lies elsewhere spoils the document")
  func elsewhere() {
    let urls = [
      "https://evil.example/x", "http://auth.example/x", "https://auth.example:444/x",
      "https://auth.example.evil.example/x", "https://auth.example@evil.example/x", "/e-1/as/x", "",
    ]
    for name in Discovery.Endpoint.allCases.map(\.rawValue) {
      for url in urls {
        var change = JSONObject()
        change[name] = .string(url)
        let document = Self.document(change)
        #expect(Discovery(document, issuer: Self.issuer) == nil, "\(name) \(url)")
      }
    }
  }
}

@Suite("The secret of an authorization request")
struct ProofKeyTests {
  @Test("the challenge is the one of RFC 7636 appendix B")
  func vector() throws {
    let key = try ProofKey(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    #expect(key.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test("a secret has 43 characters of the allowed ones, and no two are alike")
  func random() throws {
    let keys = try (0..<100).map { _ in try ProofKey() }
    #expect(Set(keys.map(\.verifier)).count == 100 && Set(keys.map(\.challenge)).count == 100)
    for key in keys {
      #expect(key.verifier.utf8.count == 43)
      #expect(key.verifier.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) })
    }
  }
}
