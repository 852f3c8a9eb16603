import Fixtures
import JOSE
import JSON
import OpenSSL
import Testing

@Suite("RFC token examples")
struct RFCTokenTests {
  @Test("the signed examples of RFC 7515 appendix A verify", arguments: [0, 1, 2, 3])
  func signatures(index: Int) throws {
    let example = try #require(try Fixtures.json("rfc/jose.json")["signatures"]?.array?[index])
    let key = try #require(example["key"])
    let jwk = try key["kty"] == "oct" ? JWK(symmetric: key) : JWK(key)
    let token = try CompactJWS(parsing: #require(example["token"]?.string))
    let verified = try token.verified(with: jwk, allowing: everyAlgorithm)
    #expect(verified.payload == example["payload"]?.string.map(bytes))
    #expect(verified.thumbprint == jwk.thumbprint)
    if index < 3 {
      #expect(try verified.claims()["iss"] == "joe")
    } else {
      #expect(throws: JOSEError.malformed) { try verified.claims() }
    }
  }

  @Test("the Ed25519 example of RFC 8037 appendix A verifies, a changed one does not")
  func ed25519() throws {
    let example = try #require(try Fixtures.json("rfc/jose.json")["ed25519"])
    let key = try JWK(#require(example["key"]))
    #expect(key.thumbprint == example["thumbprint"]?.string)
    #expect(key.json == example["key"])
    let text = try #require(example["token"]?.string)
    let token = try CompactJWS(parsing: text)
    #expect(
      try token.verified(with: key, allowing: [.eddsa]).payload == example["payload"]?.string.map(bytes)
    )
    #expect(throws: JOSEError.algorithmNotAllowed) {
      try token.verified(with: key, allowing: everyAlgorithm.subtracting([.eddsa]))
    }
    let other = try CompactJWS(parsing: text.replacing(".RX", with: ".RY"))
    #expect(throws: JOSEError.badSignature) { try other.verified(with: key, allowing: [.eddsa]) }
    let elliptic = JWK(try PrivateKey.generateP256().publicKey)
    #expect(throws: JOSEError.keyMismatch) { try token.verified(with: elliptic, allowing: [.eddsa]) }
    for name in ["ES256", "RS256", "HS256"] {
      let part = Base64URL.encode(Array(#"{"alg":"\#(name)"}"#.utf8))
      let renamed = try CompactJWS(parsing: part + text.drop { $0 != "." })
      #expect(throws: JOSEError.keyMismatch) { try renamed.verified(with: key, allowing: everyAlgorithm) }
    }
  }

  @Test("the unsigned example of RFC 7515 appendix A.5 is refused")
  func unsigned() throws {
    let examples = try #require(try Fixtures.json("rfc/jose.json")["signatures"]?.array)
    let token = try CompactJWS(parsing: #require(examples[4]["token"]?.string))
    for example in examples[1..<4] {
      let key = try JWK(#require(example["key"]))
      #expect(throws: JOSEError.unsupportedAlgorithm) {
        try token.verified(with: key, allowing: everyAlgorithm)
      }
    }
  }

  @Test("the thumbprint of RFC 7638 section 3.1 does not depend on optional members")
  func thumbprint() throws {
    let example = try #require(try Fixtures.json("rfc/jose.json")["thumbprint"])
    let key = try JWK(#require(example["key"]))
    #expect(key.thumbprint == example["thumbprint"]?.string)
    #expect(key.keyID == "2011-04-29")
    #expect(key.algorithm == .rs256)
    #expect(JWK(try #require(key.publicKey)).thumbprint == key.thumbprint)
    #expect(key.json == example["key"])
  }
}
