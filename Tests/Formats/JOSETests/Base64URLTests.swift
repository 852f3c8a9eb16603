import JOSE
import Testing

@Suite("Base64url")
struct Base64URLTests {
  @Test(
    "encoding matches RFC 4648 without padding",
    arguments: [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
      ("foobar", "Zm9vYmFy"),
    ]
  )
  func examples(plain: String, encoded: String) {
    #expect(Base64URL.encode(plain.utf8) == encoded)
    #expect(Base64URL.decode(encoded) == Array(plain.utf8))
  }

  @Test("encoding matches RFC 7515 appendix C")
  func rfc() {
    #expect(Base64URL.encode([3, 236, 255, 224, 193]) == "A-z_4ME")
    #expect(Base64URL.decode("A-z_4ME") == [3, 236, 255, 224, 193])
  }

  @Test("every byte survives encoding at every position")
  func roundTrip() {
    for byte in UInt8.min...UInt8.max {
      for length in 1...4 {
        let bytes = [UInt8](repeating: byte, count: length)
        #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
      }
    }
  }

  @Test(
    "padding, other alphabets, white space and impossible lengths are refused",
    arguments: [
      "Zg==", "Zg=", "=", "Zm8=", "A+z/4ME", "Zm9v\n", " Zm9v", "Zm 9v", "Zm9v\0", "Zm9vY", "A", "Zm9é",
      "Zm9v.", "Ａ", "Zm9v\u{301}",
    ]
  )
  func refused(text: String) { #expect(Base64URL.decode(text) == nil) }

  @Test("unused bits must be zero", arguments: ["Zh", "Zm9", "Zn", "AB", "AAB", "__"])
  func leftOver(text: String) { #expect(Base64URL.decode(text) == nil) }

  @Test("exactly 256 two-character texts decode")
  func canonical() {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    var meanings: Set<[UInt8]> = []
    for one in alphabet {
      for other in alphabet { if let bytes = Base64URL.decode("\(one)\(other)") { meanings.insert(bytes) } }
    }
    #expect(meanings.count == 256)
  }
}
