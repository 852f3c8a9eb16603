import Testing

@testable import SignOn

@Suite("PKCE verifier")
struct ProofKeyTests {
  @Test("the challenge equals the example of RFC 7636 appendix B")
  func vector() throws {
    let key = try ProofKey(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    #expect(key.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test("a verifier has 43 allowed characters and is unique")
  func random() throws {
    let keys = try (0..<100).map { _ in try ProofKey() }
    #expect(Set(keys.map(\.verifier)).count == 100 && Set(keys.map(\.challenge)).count == 100)
    for key in keys {
      #expect(key.verifier.utf8.count == 43)
      #expect(key.verifier.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) })
    }
  }
}
