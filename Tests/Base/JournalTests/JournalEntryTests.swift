import Testing
import Time

@testable import Journal

private enum Fruit: String, JournalWord {
  case apple, pear
}

/// A journal word with a raw value that need not be in `allCases`, like text from outside.
private struct Liar: JournalWord {
  static let allCases = [Liar(rawValue: "known")]
  let rawValue: String
}

@Suite("Journal entries")
struct JournalEntryTests {
  private static let instant = Timestamp(seconds: 1_795_251_600)

  private static func text(_ fields: Journal.Fields) -> String {
    JournalEntry(at: instant, .warning, "it happened", fields).text
  }

  @Test("an entry contains numbers, literals and words of closed lists")
  func safe() {
    let word: StaticString = "two words"
    #expect(
      Self.text(["count": 3, "what": word, "fruit": Fruit.pear])
        == "2026-11-21T09:00:00Z warning it happened count=3 what=\"two words\" fruit=pear"
    )
  }

  @Test("an entry omits strings and all other values of open types")
  func unsafe() {
    struct Secret: CustomStringConvertible { let description = "canary" }
    let text = Self.text([
      "text": "canary", "part": "canary"[...], "secret": Secret(), "number": 7.5, "list": ["canary"],
      "liar": Liar(rawValue: "canary"), "character": Character("c"), "honest": Liar(rawValue: "known"),
    ])
    #expect(text == "2026-11-21T09:00:00Z warning it happened honest=known")
  }

  @Test("an entry stores its owner's uid but does not print it")
  func owner() {
    let entry = JournalEntry(at: Self.instant, .info, "it happened", ["uid": UInt32(1000), "count": 1])
    #expect(entry.owner == 1000)
    #expect(entry.text == "2026-11-21T09:00:00Z info it happened count=1")
    #expect(JournalEntry(at: Self.instant, .info, "it happened", ["count": 1]).owner == nil)
  }

  @Test("memory keeps the latest entries up to its capacity, oldest first")
  func capacity() {
    let memory = JournalMemory(capacity: 3)
    for number in 1...7 {
      memory.remember(JournalEntry(at: Self.instant, .info, "entry", ["number": number]))
      let texts = memory.entries.map { $0.text.suffix(8) }
      #expect(texts == (max(1, number - 2)...number).map { "number=\($0)" }[...].map { $0[...] })
    }
  }

  @Test("recent entries of an owner include those below the log level and no other owner's")
  func recent() {
    Journal.level = .error
    Journal.debug("a remembered line", ["uid": UInt32(4_000_001), "number": 1])
    Journal.debug("a remembered line", ["uid": UInt32(4_000_002), "number": 2])
    let texts = Journal.recent(of: 4_000_001).filter { $0.owner != nil }.map(\.text)
    #expect(texts.map { $0.suffix(8) } == ["number=1"])
  }
}
