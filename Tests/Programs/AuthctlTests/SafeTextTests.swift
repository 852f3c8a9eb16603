import ControlClient
import JSON
import Testing

@Suite("terminal-safe text")
struct SafeTextTests {
  @Test(
    "control and direction characters are escaped",
    arguments: [
      "\u{1B}[31m": "\\u001b[31m", "a\nb\r\tc": "a\\nb\\r\\tc", "\u{7}": "\\u0007", "\u{7F}": "\\u007f",
      "\u{9B}1m": "\\u009b1m", "\u{202E}abc": "\\u202eabc", "\u{2066}x\u{2069}": "\\u2066x\\u2069",
      "\u{200E}\u{200F}\u{61C}": "\\u200e\\u200f\\u061c", "a\u{2028}b\u{2029}": "a\\u2028b\\u2029",
      "\u{FEFF}\u{200B}\u{2060}\u{AD}": "\\ufeff\\u200b\\u2060\\u00ad", "\u{E0041}": "\\udb40\\udc41",
      "\u{FFFE}": "\\ufffe", "\u{1FFFF}": "\\ud83f\\udfff",
      "e\u{1B}\u{301}": "e\\u001b\u{301}", "\u{0}": "\\u0000",
    ]
  )
  func hostile(text: String, escaped: String) {
    let safe: SafeText = "<\(text)>"
    #expect(safe.text == "<\(escaped)>")
    #expect(safe.text.unicodeScalars.allSatisfy { $0.value >= 0x20 })
  }

  @Test(
    "ordinary text is unchanged",
    arguments: [
      "Ann Lee", "Zoë Ångström", "山田太郎", "می\u{200C}خواهم", "👩\u{200D}💻", "\\u001b \"quoted\"", "שלום",
    ]
  )
  func ordinary(text: String) {
    #expect(("\(text)" as SafeText).text == text)
  }

  @Test("safe text is not escaped twice, and line breaks of the program stay")
  func nesting() {
    let inner: SafeText = "one\n\("two\n")"
    #expect(("\(inner)!" as SafeText).text == "one\ntwo\\n!")
  }

  @Test("escaped JSON is the same value")
  func json() throws {
    let value: JSON = ["a\u{202E}": ["\u{9B}", "\u{1B}", "\u{E0041}", "é😀"], "n": 1]
    let safe = SafeText(value)
    #expect(try JSON(parsing: safe.text) == value)
    #expect(safe.text == #"{"a\u202e":["\u009b","\u001b","\udb40\udc41","é😀"],"n":1}"#)
  }
}
