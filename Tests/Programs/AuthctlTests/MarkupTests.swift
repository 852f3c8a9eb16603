import AuthctlCommands
import ControlClient
import Glibc
import Testing

@Suite("markup in server texts")
struct MarkupTests {
  private func lines(_ text: String) -> [String] { Markup.lines(text).map(\.text) }

  @Test(
    "tags are removed, and block tags become line breaks",
    arguments: [
      "plain": ["plain"], "": [], " one \n\n two ": ["one", "two"], "a<br>b<BR/>c": ["a", "b", "c"],
      "<p>one</p><p>two</p>": ["one", "two"], "<b>bold</b> and <i class=\"x > y\">not</i>": ["bold and not"],
      "<ul><li>one</li><li>two</li></ul>": ["- one", "- two"], "<h1>Title</h1>text": ["Title", "text"],
      "a  \t b": ["a b"], "x<!-- <b>no</b> -->y": ["xy"],
      "<div>a</div><style>p { x }</style><div>b</div>": ["a", "b"],
    ] as [String: [String]]
  )
  func tags(text: String, expected: [String]) {
    #expect(lines(text) == expected)
  }

  @Test(
    "a link shows its target",
    arguments: [
      "<a href='https://example.com/a?b=1&amp;c=2'>help</a>!": "help (https://example.com/a?b=1&c=2)!",
      "<a class=x href=\"https://example.com\" target=_blank>go</a>": "go (https://example.com)",
      "<a href=https://example.com>go</a>": "go (https://example.com)",
      "<A HREF = 'HTTPS://example.com'>go</A>": "go (HTTPS://example.com)",
      "<a href='https://example.com'>https://example.com</a>": "https://example.com",
      "<a href='https://evil.example'>https://bank.example</a>":
        "https://bank.example (https://evil.example)",
      "<a href='mailto:a@example.com'>mail</a>": "mail (mailto:a@example.com)",
      "<a href='https://example.com'></a>": "(https://example.com)",
      "<a href='https://one.example'>one <a href='https://two.example'>two":
        "one (https://one.example) two (https://two.example)",
      "<a>bare</a>": "bare", "<a data-href='https://evil.example'>x</a>": "x",
      "<abbr href='https://evil.example'>x</abbr>": "x",
    ]
  )
  func links(text: String, expected: String) {
    #expect(Markup.line(text).text == expected)
  }

  @Test(
    "a target that is not an absolute web or mail URL is not shown",
    arguments: [
      "javascript:alert(1)", "data:text/html,x", "JaVaScRiPt:x", "//evil.example", "/path", "", " https://x",
      "&#106;avascript:x",
    ]
  )
  func schemes(target: String) {
    #expect(Markup.line("<a href='\(target)'>x</a>").text == "x")
  }

  @Test(
    "an entity becomes a character and cannot start a tag",
    arguments: [
      "a &amp; b &lt;b&gt; &quot;c&quot; &#39;d&#x27;": "a & b <b> \"c\" 'd'",
      "&lt;script&gt;x&lt;/script&gt;": "<script>x</script>", "&amp;lt;b&amp;gt;": "&lt;b&gt;",
      "&euro;&nbsp;5&hellip;": "€ 5…",
      "&unknown; &; & &#; &#x; &#xD800; &#1114112;":
        "&unknown; &; & &#; &#x; &#xD800; &#1114112;",
      "&#27;[31m&#x202e;": "\\u001b[31m\\u202e", "AT&T": "AT&T",
    ]
  )
  func entities(text: String, expected: String) {
    #expect(Markup.line(text).text == expected)
  }

  @Test(
    "a malformed tag stays as text",
    arguments: [
      "1 < 2 > 0", "a <", "<", "<>", "< b>", "<3", "</", "</>", "<b", "<b class=\"x>", "<!doctype",
      "<!-- open",
      "<a href='x", "x <y <z",
    ]
  )
  func malformed(text: String) {
    #expect(Markup.line(text).text == text)
  }

  @Test("scripts and styles are removed, even if unterminated")
  func scripts() {
    #expect(lines("a<script>if (1 < 2) { alert('<b>') }</script>b") == ["ab"])
    #expect(lines("a<SCRIPT src=x>document.write('</b>')") == ["a"])
    #expect(lines("a<style>x</script></style>b") == ["ab"])
  }

  @Test("hostile text is parsed in linear time")
  func size() {
    let count = 20_000
    let texts = [
      String(repeating: "<", count: count), String(repeating: "<a href='", count: count / 9),
      String(repeating: "<!--", count: count / 4), String(repeating: "<a ", count: count / 3),
      String(repeating: "&#", count: count / 2), String(repeating: "<script>", count: count / 8),
      String(repeating: "<a href=https://x>", count: count / 18), String(repeating: "<p>", count: count / 3),
    ]
    for text in texts {
      let before = Self.processorSeconds
      _ = Markup.lines(text)
      #expect(Self.processorSeconds - before < 10, "\(text.prefix(10))")
    }
  }

  /// Processor time of this thread, which does not depend on the load of the machine.
  private static var processorSeconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec
  }

  @Test("no combination of markup leaves a control character")
  func safety() {
    let pieces = [
      "<a href='", "https://x", "'>", "\u{1B}[2J", "</a>", "&#27;", "\u{202E}", "<", ">", "&", "\r", "\n",
      "\"",
    ]
    for first in pieces {
      for second in pieces {
        for third in pieces {
          for line in Markup.lines(first + second + third + first) {
            #expect(line.text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202E}" })
          }
        }
      }
    }
  }
}
