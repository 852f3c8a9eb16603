import ControlClient
import Testing

@testable import AuthctlCommands

extension AuthctlTests {
  @Suite("text width")
  struct TextWidthTests {
    @Test(
      "each character has the number of columns that a terminal uses",
      arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("カナ", 4), ("ｶﾅ", 2), ("한국", 4),
        ("\u{1112}\u{1161}\u{11AB}", 2), ("Ａ", 2), ("👍", 2), ("👍🏽", 2), ("👩‍👧", 2), ("🇨🇭", 2), ("❤️", 2), ("❤", 1),
        ("1️⃣", 2), ("क्षि", 1), ("ä\u{200D}b", 2), ("–…“", 3), ("\u{1B}[32mok\u{1B}[0m é", 4),
        ("\u{1B}[30;47m▀▄█\u{1B}[0m", 3),
      ]
    )
    func columns(text: String, count: Int) {
      #expect(TextWidth.columns(of: text) == count, "\(text)")
    }

    @Test("cells are aligned in every script")
    func table() {
      let lines = Columns.lines([["漢字", "a"], ["e\u{301}", "b"], ["👍🏽x", "c"], ["abcd", "d"]])
      #expect(Set(lines.map { $0.columns }) == [7])
      #expect(lines.map { TextWidth.columns(of: $0.text.dropLast()) } == [6, 6, 6, 6])
    }

    @Test("lines are wrapped by columns")
    func filled() {
      let lines = Wrapping.lines("漢字漢字 漢字 ab", width: 10)
      #expect(lines.map(\.text) == ["漢字漢字", "漢字 ab"])
    }
  }
}
