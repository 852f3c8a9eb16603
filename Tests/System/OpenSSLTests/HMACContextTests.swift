import Fixtures
import JSON
import OpenSSL
import Testing

@Suite("HMAC")
struct HMACContextTests {
  @Test(
    "HMAC accepts valid and refuses invalid Wycheproof codes",
    arguments: [
      ("hmac_sha1", HashAlgorithm.sha1, 66, 104), ("hmac_sha256", .sha256, 66, 108),
      ("hmac_sha384", .sha384, 66, 108), ("hmac_sha512", .sha512, 66, 108),
    ]
  )
  func wycheproof(file: String, algorithm: HashAlgorithm, valid: Int, invalid: Int) throws {
    var accepted = 0
    var refused = 0
    for one in try WycheproofCase.all(in: file) {
      let context = HMACContext(algorithm, key: Secret(copying: try one.bytes("key")))
      let tag = try one.bytes("tag")
      // Half of the cases use only the first half of the code.
      let code = try context.code(for: one.bytes("msg")).prefix((one.group["tagSize"]?.int ?? 0) / 8)
      let equal = constantTimeEqual(code, tag)
      #expect(equal == (one.verdict == .valid), "case \(one.id)")
      if equal { accepted += 1 } else { refused += 1 }
    }
    #expect(accepted == valid)
    #expect(refused == invalid)
  }

  /// The cases of RFC 4231 section 4: key, message, and the codes with SHA-256, SHA-384 and SHA-512.
  static let rfc4231: [[String]] = [
    [
      "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "4869205468657265",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
      "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
      "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
        + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
    ],
    [
      "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
      "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
      "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
    ],
    [
      String(repeating: "aa", count: 131),
      "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579"
        + "204669727374",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
      "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952",
      "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
        + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
    ],
  ]

  @Test("HMAC matches the cases of RFC 4231", arguments: rfc4231)
  func rfc(one: [String]) throws {
    let key = Secret(copying: try hexadecimal(one[0]))
    let message = try hexadecimal(one[1])
    for (algorithm, expected) in zip([HashAlgorithm.sha256, .sha384, .sha512], one[2...]) {
      #expect(try HMACContext(algorithm, key: key).code(for: message) == hexadecimal(expected))
    }
  }

  @Test("a context can be reused for several messages")
  func reuse() throws {
    let key = Secret(copying: try hexadecimal(Self.rfc4231[1][0]))
    let context = HMACContext(.sha256, key: key)
    let expected = try hexadecimal(Self.rfc4231[1][2])
    for _ in 0..<3 {
      #expect(try context.code(for: hexadecimal(Self.rfc4231[1][1])) == expected)
      #expect(try context.code(for: []) != expected)
    }
  }

  @Test(
    "a counter is hashed as eight bytes in big-endian order",
    arguments: [0, 1, 0x0102_0304_0506_0708, UInt64.max]
  )
  func counter(counter: UInt64) throws {
    let context = HMACContext(.sha1, key: Secret(copying: "12345678901234567890".utf8))
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * $0)) }
    #expect(try context.code(for: counter) == context.code(for: bytes))
  }

  @Test("HMAC matches the intermediate codes of RFC 4226 appendix D")
  func hotp() throws {
    let context = HMACContext(.sha1, key: Secret(copying: "12345678901234567890".utf8))
    #expect(try context.code(for: 0) == hexadecimal("cc93cf18508d94934c64b65d8ba7667fb7cde4b0"))
    #expect(try context.code(for: 9) == hexadecimal("1637409809a679dc698207310c8c7fc07290d9e5"))
  }

  @Test("an empty key is accepted")
  func emptyKey() throws {
    let expected = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
    #expect(try HMACContext(.sha256, key: Secret(copying: [])).code(for: []) == hexadecimal(expected))
  }
}
