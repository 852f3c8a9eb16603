import Fixtures
import JOSE
import JSON
import OpenSSL
import Testing

/// Checks each file case by case and counts the reasons, so that no case is skipped unnoticed.
@Suite("Wycheproof tokens")
struct WycheproofTokenTests {
  @Test("valid signed tokens verify and forged ones are refused")
  func signatures() throws {
    // Wycheproof marks these valid; mfad refuses them. Either the key is for another algorithm than the
    // token's (RFC 7517 section 4.4), or the base64url contains "?", which other cases mark invalid.
    let stricter: Set = [346, 347, 350, 351, 372, 373]
    // Wycheproof marks these invalid, but their text is the same as in the valid case 357.
    let sameText: Set = [367, 370]
    let outcomes = try judge("json_web_signature", stricter: stricter, accepted: sameText)
    #expect(
      outcomes == [
        .accepted: 42, .refused(.badSignature): 302, .refused(.malformed): 38, .refused(.keyMismatch): 14,
        .refused(.unsupportedAlgorithm): 5,
      ]
    )
    let cases = try WycheproofCase.all(in: "json_web_signature")
    let texts = Set(cases.filter { sameText.contains($0.id) || $0.id == 357 }.map { $0.test["jws"]?.string })
    #expect(texts.count == 1)
  }

  @Test("unsuitable keys and key sets are refused before verification")
  func keys() throws {
    let outcomes = try judge("json_web_key")
    #expect(
      outcomes == [
        .accepted: 5, .refused(.ambiguousKey): 1, .refused(.badSignature): 1, .refused(.keyMismatch): 12,
        .refused(.malformed): 1, .refused(.unusableKey): 6,
      ]
    )
  }

  @Test("the mixed token file gives the expected results")
  func crypto() throws {
    // Valid, but encrypted with algorithms that are not supported here.
    let outcomes = try judge("json_web_crypto", unsupported: [50, 67])
    #expect(
      outcomes == [
        .accepted: 4, .refused(.ambiguousKey): 1, .refused(.badSignature): 17, .refused(.keyMismatch): 1,
        .refused(.malformed): 38, .refused(.unsupportedAlgorithm): 21, .refused(.unusableKey): 1,
      ]
    )
  }

  @Test("tokens with supported encryption decrypt, and all others are refused")
  func encryption() throws {
    let valid = try WycheproofCase.all(in: "json_web_encryption").filter { $0.verdict == .valid }.map(\.id)
    // Case 135 uses compression, which is refused before the algorithm is checked.
    let unsupported = Set(valid).subtracting([76, 77, 78, 135])
    #expect(unsupported.count == 61)
    let outcomes = try judge("json_web_encryption", stricter: [135], unsupported: unsupported)
    #expect(
      outcomes == [
        .accepted: 3, .refused(.malformed): 14, .refused(.unsupportedAlgorithm): 121,
        .refused(.unsupportedHeader): 1,
      ]
    )
  }

  private enum Outcome: Hashable {
    case accepted
    case refused(JOSEError)
  }

  /// Compares every case with its verdict and counts the outcomes.
  private func judge(
    _ file: String,
    stricter: Set<Int> = [],
    accepted: Set<Int> = [],
    unsupported: Set<Int> = []
  ) throws -> [Outcome: Int] {
    var outcomes: [Outcome: Int] = [:]
    for one in try WycheproofCase.all(in: file) {
      let outcome: Outcome
      do {
        try read(one)
        outcome = .accepted
      } catch let error as JOSEError {
        outcome = .refused(error)
      }
      outcomes[outcome, default: 0] += 1
      if unsupported.contains(one.id) {
        #expect(outcome == .refused(.unsupportedAlgorithm), "case \(one.id)")
      } else if accepted.contains(one.id) || one.verdict == .valid && !stricter.contains(one.id) {
        #expect(outcome == .accepted, "case \(one.id)")
      } else {
        #expect(outcome != .accepted, "case \(one.id)")
      }
    }
    return outcomes
  }

  private func read(_ one: WycheproofCase) throws {
    guard let token = one.test["jwe"]?.string else { return try verify(one) }
    let plaintext = try CompactJWE.decrypt(token, with: privateKey(one), type: nil)
    #expect(try plaintext == one.bytes("pt"), "case \(one.id)")
  }

  private func verify(_ one: WycheproofCase) throws {
    // Tokens in JSON serialization are not supported.
    guard let token = one.test["jws"]?.string else { throw JOSEError.malformed }
    let key = try #require(one.group["public"] ?? one.group["private"])
    if let keys = key["keys"]?.array {
      _ = try CompactJWS(parsing: token).verified(with: JWKSet(keys.map(jwk)), allowing: everyAlgorithm)
    } else {
      _ = try CompactJWS(parsing: token).verified(with: jwk(key), allowing: everyAlgorithm)
    }
  }

  private func jwk(_ json: JSON) throws -> JWK {
    try json["kty"] == "oct" ? JWK(symmetric: json) : JWK(json)
  }

  /// Returns the P-256 key of a case, or a new key for other cases, which are refused before its use.
  private func privateKey(_ one: WycheproofCase) throws -> PrivateKey {
    let key = one.group["private"]
    guard key?["crv"] == "P-256", let text = key?["d"]?.string else { return try PrivateKey.generateP256() }
    let scalar = try #require(Base64URL.decode(text))
    return try PrivateKey(p256Scalar: Secret(copying: scalar))
  }
}
