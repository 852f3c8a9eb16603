import JSONRPC
import OpenSSL
import Testing

@testable import Vault

@Suite("PINs")
struct PINTests {
  @Test(
    "a common PIN is refused",
    arguments: [
      "123456", "654321", "000000", "121212", "123123", "567890", "890123", "abcdef", "qwerty", "ytrewq",
      "password", "Password1!", "PASSW0RD", "147258", "112233", "159753", "aaaaaaaa", "xyxyxyx",
    ]
  )
  func common(_ text: String) {
    #expect(throws: RPCError.self) { try PIN(new: text) }
  }

  @Test("a PIN of fewer than six characters is refused", arguments: ["", "1", "28049", "äöüßÄ"])
  func short(_ text: String) {
    #expect(throws: RPCError.self) { try PIN(new: text) }
  }

  @Test(
    "an uncommon PIN is accepted",
    arguments: ["280491", "935028", "correct horse", "äöüßÄÖ", "👩‍👩‍👧 1 2 3"]
  )
  func others(_ text: String) {
    #expect(throws: Never.self) { try PIN(new: text) }
  }

  @Test("the derived key depends on every byte of PIN and salt")
  func derivation() throws {
    func derived(_ pin: String, _ salt: [UInt8]) throws -> [UInt8] {
      try PIN(pin).derived(salt: salt).withBytes { Array($0) }
    }
    let one = try derived("280491", [1])
    #expect(try one.count == 32 && derived("280491", [1]) == one)
    #expect(try derived("280492", [1]) != one && derived("280491", [2]) != one)
  }
}
