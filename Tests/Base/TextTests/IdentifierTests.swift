import Testing
import Text

@Suite("Identifiers")
struct IdentifierTests {
  @Test(
    "an id can stand in a path",
    arguments: ["a", "A.b_c-9", "...", String(repeating: "x", count: 64)]
  )
  func goodID(text: String) {
    #expect(text.isIdentifier)
  }

  @Test(
    "what could mean another path is no id",
    arguments: [
      "", ".", "..", "a/b", "a?b", "a#b", "a%2F", "a b", "a\n", "a\0", "é", "e\u{301}",
      String(repeating: "x", count: 65),
    ]
  )
  func badID(text: String) {
    #expect(!text.isIdentifier)
  }
}
