import Testing
import Text

@Suite("Identifiers")
struct IdentifierTests {
  @Test(
    "an identifier that is safe in a path is accepted",
    arguments: ["a", "A.b_c-9", "...", String(repeating: "x", count: 64)]
  )
  func goodID(text: String) {
    #expect(text.isIdentifier)
  }

  @Test(
    "an identifier that could change a path is refused",
    arguments: [
      "", ".", "..", "a/b", "a?b", "a#b", "a%2F", "a b", "a\n", "a\0", "é", "e\u{301}",
      String(repeating: "x", count: 65),
    ]
  )
  func badID(text: String) {
    #expect(!text.isIdentifier)
  }
}
