import Testing
import Text

@Suite("Text from outside")
struct DisplayTextTests {
  @Test("ordinary text of any script stays as it is")
  func ordinary() {
    let texts = [
      "Sign on?", "Grüße – «ok»", "日本語", "שלום", "مرحبا", "👩‍👩‍👧", "e\u{301}", "a\u{200D}b",
      "\u{FFFD}\u{FDCF}\u{378}",
    ]
    for text in texts {
      #expect(DisplayText.clean(text) == text)
    }
  }

  @Test("terminal and bidirectional control characters are removed")
  func steering() {
    let steering: [Unicode.Scalar] = [
      "\u{0}", "\u{7}", "\u{8}", "\u{A}", "\u{D}", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{61C}",
      "\u{200E}",
      "\u{200F}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2028}", "\u{2029}",
      "\u{2066}",
      "\u{2067}", "\u{2068}", "\u{2069}", "\u{FEFF}", "\u{E0001}", "\u{E0041}", "\u{FFFE}",
      "\u{FFFF}", "\u{1FFFE}", "\u{10FFFF}",
    ]
    // Noncharacters that the compiler refuses as literals.
    let others = [0xFDD0, 0xFDEF].compactMap { Unicode.Scalar($0 as UInt32) }
    for scalar in steering + others { #expect(DisplayText.clean("a\(scalar)b") == "ab", "\(scalar.value)") }
  }

  @Test("letters that show as nothing are removed, so no name looks empty")
  func blankLetters() {
    let blank = "\u{115F}\u{1160}\u{2800}\u{3164}\u{FFA0}"
    #expect(DisplayText.clean("a\(blank)b") == "ab")
    #expect(DisplayText.trimmed(" \(blank) ") == nil)
  }

  @Test("ASCII text has the same rules as other text")
  func ascii() {
    let all = String(String.UnicodeScalarView((0..<0x80).compactMap { Unicode.Scalar($0) }))
    let printable = String(String.UnicodeScalarView((0x20..<0x7F).compactMap { Unicode.Scalar($0) }))
    // The last character makes the text one that is not ASCII.
    for other in ["", "é"] {
      #expect(DisplayText.clean(all + other) == printable + other)
      let lines = "a\r\nb\nc\rd\te\u{B}f\u{7}" + other
      #expect(DisplayText.line(lines, maximum: 20) == "a b c d e f" + other)
      #expect(DisplayText.line("ab\u{7}\u{7}c" + other, maximum: 2) == "ab")
    }
    #expect(DisplayText.clean("ab\u{7}\u{301}c", maximum: 2) == "ab\u{301}")
  }

  @Test("text is cut to the maximum length, also with many combining marks")
  func length() {
    #expect(DisplayText.clean(String(repeating: "x", count: 201)).count == 200)
    #expect(
      DisplayText.clean(String(repeating: "x", count: 500), maximum: DisplayText.bodyLength).count == 400
    )
    #expect(DisplayText.clean(String(repeating: "👩‍👩‍👧", count: 300)).unicodeScalars.count <= 800)
    let zalgo = "a" + String(repeating: "\u{301}", count: 100_000)
    #expect(DisplayText.clean(zalgo).unicodeScalars.count <= 800)
    #expect(DisplayText.clean(zalgo, maximum: 1).count == 1)
  }
}
