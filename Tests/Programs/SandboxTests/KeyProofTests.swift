import Fixtures
import JOSE
import JSON
import Testing
import Time

@testable import Sandbox

@Suite("verification of bound key tokens by AM's rules")
struct KeyProofTests {
  private static let challenge = "QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8="

  private static func vectors() throws -> [JSON] {
    try #require(try Fixtures.json("am/device_binding.json")["vectors"]?.array)
  }

  /// Verifies the vector with this name, with other parameters if given.
  private static func isTaken(
    _ name: String,
    challenge: String = challenge,
    issuer: String = "org.example.mfad",
    at now: Int = 1_763_712_005,
    key: JSON? = nil
  ) throws -> Bool {
    let vector = try #require(try vectors().first { $0["name"]?.string == name })
    let proof = try #require(KeyProof(vector["jwt"]?.string ?? ""))
    let key = try key ?? proof.header.jwk ?? Fixtures.json("am/device_binding.json")["public_jwk"]
    return proof.claims(
      by: key,
      challenge: challenge,
      isIssuer: { $0 == issuer },
      at: Timestamp(seconds: now)
    ) != nil
  }

  @Test("each vector has its expected result")
  func judged() throws {
    let vectors = try Self.vectors()
    #expect(vectors.count == 5)
    for vector in vectors {
      let proof = try #require(KeyProof(vector["jwt"]?.string ?? ""))
      let stored = vector["stored_kids"]?.array?.compactMap(\.string)
      let isKnown = stored?.contains(proof.header.keyID ?? "") ?? true
      let issuers = (vector["allowed_iss"]?.array ?? []).compactMap(\.string)
      let claims = proof.claims(
        by: try proof.header.jwk ?? Fixtures.json("am/device_binding.json")["public_jwk"],
        challenge: Self.challenge,
        isIssuer: { issuers.contains($0) },
        at: Timestamp(seconds: try #require(vector["now"]?.int))
      )
      let outcome = !isKnown ? "keyNotFound" : claims == nil ? "failure" : "success"
      #expect(outcome == vector["expect"]?.string, "\(vector["name"]?.string ?? "")")
    }
  }

  @Test("challenge, issuer, key and times must match, with 30 seconds of tolerance")
  func refused() throws {
    for name in ["bind_ok", "sign_ok"] {
      #expect(try Self.isTaken(name))
      #expect(try !Self.isTaken(name, challenge: "c") && !Self.isTaken(name, issuer: "mfad"))
      // Valid from 12:00:00 to 12:01:00 by the device's clock.
      for (time, isTaken) in [(-31, false), (-30, true), (0, true), (89, true), (90, false)] {
        #expect(try Self.isTaken(name, at: 1_763_712_000 + time) == isTaken, "\(time)")
      }
      #expect(try !Self.isTaken(name, key: ["kty": "EC"]))
    }
    #expect(KeyProof("a.b.c") == nil && KeyProof("") == nil)
  }
}
