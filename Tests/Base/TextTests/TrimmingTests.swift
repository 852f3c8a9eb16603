import Testing
import Text

@Suite("Trimming and splitting text")
struct TrimmingTests {
  @Test("white space is removed at the ends and kept inside")
  func trimmed() {
    for text in ["a b", " a b", "a b\r\n", "\u{2003}\ta b\n\n"] { #expect(text.trimmed == "a b") }
    for text in ["", " ", "\t\n\u{A0}"] { #expect(text.trimmed.isEmpty) }
  }

  @Test("optional white space consists of spaces and tabs only")
  func blanks() {
    #expect(" \ta\n".trimmedOfBlanks == "a\n")
    #expect("\u{A0}a\u{A0} ".trimmedOfBlanks == "\u{A0}a\u{A0}")
  }

  @Test("text is split at the first separator, compared byte by byte")
  func parted() {
    let parts = "a{{b}}{{c"[...].parted(by: "{{")
    #expect(parts?.before == "a")
    #expect(parts?.after == "b}}{{c")
    #expect("a{b"[...].parted(by: "{{") == nil)
    #expect(""[...].parted(by: "{{") == nil)
    let marked = "e{{\u{301}x"[...].parted(by: "{{")
    #expect(marked?.after.unicodeScalars.elementsEqual("\u{301}x".unicodeScalars) == true)
  }
}
