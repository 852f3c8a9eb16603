import Fixtures
import JSON
import OpenSSL
import Testing

@Suite("HKDF")
struct HKDFTests {
  @Test("keys match Wycheproof, and a key above the maximum length is refused")
  func wycheproof() throws {
    var counts = (valid: 0, invalid: 0)
    for one in try WycheproofCase.all(in: "hkdf_sha256") {
      let size = try #require(one.test["size"]?.int)
      let derived = try? hkdfKey(
        from: Secret(copying: one.bytes("ikm")),
        salt: Secret(copying: one.bytes("salt")),
        info: one.bytes("info"),
        count: size
      ).withBytes { Array($0) }
      if one.verdict == .valid {
        #expect(try derived == one.bytes("okm"), "case \(one.id)")
        counts.valid += 1
      } else {
        #expect(derived == nil, "case \(one.id)")
        counts.invalid += 1
      }
    }
    #expect(counts == (valid: 83, invalid: 3))
  }
}
