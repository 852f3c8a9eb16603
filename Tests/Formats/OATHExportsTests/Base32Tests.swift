import Fixtures
import JSON
import OATHExports
import Testing

@Suite("Base32")
struct Base32Tests {
  @Test("RFC 4648 vectors decode with and without padding and in lower case")
  func vectors() throws {
    let vectors = try #require(try Fixtures.json("rfc/passcodes.json")["base32"]?.array)
    #expect(vectors.count == 7)
    for vector in vectors {
      let encoded = try #require(vector["encoded"]?.string)
      let bytes = try #require(vector["text"]?.string).utf8
      let bare = encoded.filter { $0 != "=" }
      for text in [encoded, bare, bare.lowercased()] {
        #expect(Base32.decode(text) == Array(bytes), "\(text)")
      }
    }
  }

  @Test(
    "malformed or non-canonical Base32 is refused",
    arguments: [
      "M", "MZX", "MZXW6Y", "M0======", "M1", "MY8", "MY 1", "M Y", "M-Y=", "=MY=====", "MY=A====", "MZ",
      "MZXW7", "MY=======", "ßß", "MZXW6ﬀ", "ＭＺＸＷ", "MY\n",
    ]
  )
  func refused(text: String) {
    #expect(Base32.decode(text) == nil)
  }

  @Test("lenient decoding accepts odd padding and grouped digits")
  func lenient() throws {
    let vectors = try Fixtures.json("oath/oath_codes.json")
    let accepted = try #require(vectors["base32_lenient"]?.array)
    #expect(accepted.count == 5)
    for vector in accepted {
      let text = try #require(vector["text"]?.string)
      let bytes = try hexadecimal(try #require(vector["hex"]?.string))
      #expect(Base32.decodeLeniently(text) == bytes, "\(text)")
    }
    for separator in [" ", "-", "\t", "\n", "\r\n", "\u{A0}", "\u{2003}", "\u{2028}", "\u{200B}", "\u{FEFF}"]
    {
      let text = ["jbsw", "y3dp", "ehpk", "3pxp", ""].joined(separator: separator)
      #expect(Base32.decodeLeniently(text) == Base32.decode("JBSWY3DPEHPK3PXP"), "\(text.debugDescription)")
    }
    let refused = try #require(vectors["base32_reject"]?.array).compactMap { $0["text"]?.string }
    for text in refused + ["MY=A====", "=MY", "M.Y", "ßß", "ＭＺ"] {
      #expect(Base32.decodeLeniently(text) == nil, "\(text)")
    }
  }

  @Test("Base32 survives encoding and matches RFC 4648")
  func encoding() throws {
    let vectors = try #require(try Fixtures.json("rfc/passcodes.json")["base32"]?.array)
    for vector in vectors {
      let text = try #require(vector["encoded"]?.string).filter { $0 != "=" }
      let bytes = try #require(vector["text"]?.string).utf8
      #expect(Base32.encode(bytes) == text)
    }
    var numbers = SeededNumbers(32)
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
      #expect(Base32.decode(Base32.encode(bytes)) == bytes)
    }
  }
}

@Suite("Base64")
struct Base64Tests {
  @Test(
    "both alphabets decode with and without padding",
    arguments: [
      ("", []), ("+/8=", [0xFB, 0xFF]), ("-_8", [0xFB, 0xFF]), ("-/8=", [0xFB, 0xFF]), ("AA==", [0]),
      ("AAEC", [0, 1, 2]),
    ] as [(String, [UInt8])]
  )
  func read(text: String, bytes: [UInt8]) {
    #expect(Base64.decode(text) == bytes)
  }

  @Test(
    "malformed Base64 is refused",
    arguments: ["A", "AA=", "AAA==", "AAEC=", "AB==", "A A=", "AA\n==", "=", "====", "AA==AA==", "Ａ", "%2B"]
  )
  func refused(text: String) {
    #expect(Base64.decode(text) == nil)
  }

  @Test("Base64 survives encoding and is padded")
  func encoding() {
    #expect(Base64.encode([0xFB, 0xFF]) == "+/8=")
    var numbers = SeededNumbers(64)
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
      let text = Base64.encode(bytes)
      #expect(Base64.decode(text) == bytes && text.utf8.count.isMultiple(of: 4))
    }
  }
}
