import QRCode
import Testing

@Suite("QR codes")
struct QRCodeTests {
  /// The finder pattern of a corner with its light separator.
  private static let finder = [
    "####### ", "#     # ", "# ### # ", "# ### # ", "# ### # ", "#     # ", "####### ", "        ",
  ]

  @Test(
    "text gets the smallest code that holds it",
    arguments: [1: 21, 17: 21, 18: 25, 32: 25, 2953: 177]
  )
  func sizes(length: Int, width: Int) throws {
    let code = try #require(QRCode(String(repeating: "x", count: length)))
    #expect(code.width == width)
  }

  @Test("three corners have finder patterns and the code has a quiet zone")
  func corners() throws {
    let code = try #require(QRCode("https://example.com/"))
    let last = code.width - 1
    for (row, line) in Self.finder.enumerated() {
      for (column, character) in line.enumerated() {
        let isDark = character == "#"
        #expect(code.isDark(row: row, column: column) == isDark)
        #expect(code.isDark(row: row, column: last - column) == isDark)
        #expect(code.isDark(row: last - row, column: column) == isDark)
      }
    }
    for place in -4...last + 4 {
      for outside in [-4, -1, last + 1, last + 4] {
        #expect(!code.isDark(row: outside, column: place) && !code.isDark(row: place, column: outside))
      }
    }
  }

  @Test("empty and too long texts give no code")
  func none() {
    #expect(QRCode("") == nil)
    #expect(QRCode(String(repeating: "x", count: 2954)) == nil)
    #expect(QRCode(String(repeating: "x", count: 1_000_000)) == nil)
  }
}
