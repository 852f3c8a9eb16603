import Fixtures
import OpenSSL
import Testing

@Suite("Hashes")
struct DigestTests {
  @Test(
    "digests match the examples of FIPS 180-4",
    arguments: [
      (HashAlgorithm.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
      (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        .sha384,
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
      ),
      (
        .sha512,
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
          + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
      ),
    ]
  )
  func examples(algorithm: HashAlgorithm, expected: String) throws {
    #expect(try digest("abc".utf8, algorithm) == hexadecimal(expected))
    #expect(try digest(Array("xabcx".utf8)[1...3], algorithm) == hexadecimal(expected))
    #expect(algorithm.byteCount * 2 == expected.count)
  }

  @Test("empty input has a digest")
  func empty() throws {
    let expected = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    #expect(try digest([], .sha256) == hexadecimal(expected))
  }
}
