import Fixtures
import JSON
import OpenSSL
import Testing

@testable import JOSE

@Suite("Concat KDF")
struct ConcatKDFTests {
  private let example: JSON

  init() throws { example = try #require(try Fixtures.json("rfc/jose.json")["keyAgreement"]) }

  @Test("both parties derive the secret and key of RFC 7518 appendix C")
  func rfc() throws {
    for (own, peer) in [("ephemeral", "recipient"), ("recipient", "ephemeral")] {
      let key = try PrivateKey(p256Scalar: Secret(copying: member(own, "d")))
      let other = try PublicKey(curve: .p256, x: member(peer, "x"), y: member(peer, "y"))
      let agreed = try key.sharedSecret(with: other)
      #expect(try agreed.withBytes { Array($0) } == decoded(example["sharedSecret"]))
      let derived = try ConcatKDF.key(
        from: agreed,
        for: .a128GCM,
        partyU: decoded(example["apu"]),
        partyV: decoded(example["apv"])
      )
      #expect(try derived.withBytes { Array($0) } == decoded(example["key"]))
    }
  }

  @Test("the key depends on the algorithm and on both parties")
  func inputs() throws {
    let agreed = Secret(copying: [UInt8](repeating: 7, count: 32))
    let keys = try [
      ConcatKDF.key(from: agreed, for: .a256GCM, partyU: [], partyV: []),
      ConcatKDF.key(from: agreed, for: .a256GCM, partyU: [1], partyV: []),
      ConcatKDF.key(from: agreed, for: .a256GCM, partyU: [], partyV: [1]),
      ConcatKDF.key(from: agreed, for: .a192GCM, partyU: [], partyV: []),
      ConcatKDF.key(from: agreed, for: .a128GCM, partyU: [], partyV: []),
    ].map { $0.withBytes { Array($0) } }
    #expect(keys.map(\.count) == [32, 32, 32, 24, 16])
    #expect(Set(keys.map { $0.prefix(16) }).count == 5)
  }

  private func member(_ side: String, _ name: String) throws -> [UInt8] { try decoded(example[side]?[name]) }

  private func decoded(_ value: JSON?) throws -> [UInt8] {
    try #require(value?.string.flatMap { Base64URL.decode($0) })
  }
}
