import Fixtures
import JOSE
import JSON
import OpenSSL
import Testing
import Time

@testable import SignOn

/// Proofs compared with vectors of another implementation.
@Suite("proofs of a bound key")
struct KeyProofTests {
  private struct Vector {
    let name: String
    let header: JSONObject
    let claims: JSONObject
    let signedAt: Timestamp
    let lifetime: Int

    init(_ json: JSON) throws {
      name = try #require(json["name"]?.string)
      header = try #require(json["header"]?.object)
      var claims = try #require(json["claims"]?.object)
      // An app may add its own claims. mfad adds none.
      claims["amount"] = nil
      self.claims = claims
      let seconds = try #require(claims["iat"]?.int)
      signedAt = Timestamp(seconds: seconds)
      lifetime = try #require(claims["exp"]?.int) - seconds
    }
  }

  private static func key() throws -> (PrivateKey, JSON, [Vector]) {
    let file = try Fixtures.json("am/device_binding.json")
    let scalar = try hexadecimal(try #require(file["private_scalar_hex"]?.string))
    let vectors = try (file["vectors"]?.array ?? []).map { try Vector($0) }
    return (
      try PrivateKey(p256Scalar: Secret(copying: scalar)), try #require(file["public_jwk"]), vectors
    )
  }

  @Test("header and claims equal the vectors, and the signature verifies")
  func vectors() throws {
    let (key, jwk, vectors) = try Self.key()
    #expect(vectors.count == 5)
    for vector in vectors {
      let challenge = KeyChallenge(
        try #require(vector.claims["challenge"]?.string),
        issuer: try #require(vector.claims["iss"]?.string),
        lifetime: vector.lifetime
      )
      let text = try challenge.proof(
        by: key,
        named: try #require(vector.header["kid"]?.string),
        of: try #require(vector.claims["sub"]?.string),
        at: vector.signedAt,
        introducesKey: vector.header["jwk"] != nil
      )
      let token = try CompactJWS(parsing: text)
      #expect(token.header.members == vector.header, "\(vector.name)")
      let verified = try token.verified(with: try JWK(jwk), allowing: [.es256])
      #expect(try verified.claims() == vector.claims, "\(vector.name)")
    }
  }

  @Test("special characters are signed unchanged")
  func odd() throws {
    let (key, jwk, _) = try Self.key()
    for text in ["é\u{202E}\u{0}\"\\", "a.b.c", String(repeating: "x", count: 2048), " "] {
      let token = try CompactJWS(
        parsing: KeyChallenge(text, issuer: "mfad", lifetime: 1).proof(
          by: key,
          named: "k",
          of: text,
          at: Timestamp(seconds: 5),
          introducesKey: false
        )
      )
      let claims = try token.verified(with: try JWK(jwk), allowing: [.es256]).claims()
      #expect(claims["sub"]?.string.map { Array($0.utf8) } == Array(text.utf8))
      #expect(claims["challenge"] == claims["sub"] && claims["exp"] == 6 && token.header.jwk == nil)
    }
  }
}
