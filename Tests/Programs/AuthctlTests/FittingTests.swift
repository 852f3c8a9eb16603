import ControlClient
import Testing

@testable import AuthctlCommands

extension AuthctlTests {
  @Suite("tables on narrow terminals")
  struct FittingTests {
    @Test(
      "a row that is too wide continues on the next lines, cell by cell",
      arguments: [
        ("a1  ann  Europe", 20, ["a1  ann  Europe"]), ("a1  ann  Europe", 10, ["a1  ann", "  Europe"]),
        ("a1        ann    Europe", 15, ["a1  ann  Europe"]),
        ("  ann  environment e-1  device d-1", 20, ["  ann", "    environment e-1", "    device d-1"]),
        ("a1  Ann Lee of the house (ann)", 16, ["a1  Ann Lee of", "    the house", "    (ann)"]),
        ("account  Ann Lee of the house (ann)", 16, ["account", "  Ann Lee of the", "  house (ann)"]),
        ("a sentence that is long", 10, ["a sentence that is long"]),
        ("漢字漢字  漢字", 12, ["漢字漢字", "  漢字"]),
      ]
    )
    func fitted(row: String, width: Int, expected: [String]) {
      #expect(Columns.fitted("\(row)", width: width).map(\.text) == expected)
    }
  }
}
