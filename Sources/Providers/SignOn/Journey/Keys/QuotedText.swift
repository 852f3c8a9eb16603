internal import JSON
internal import Text

/// Server text within a text that the user agrees to.
///
/// Its length is limited, and marks distinguish it from mfad's text.
enum QuotedText {
  private static let mostLines = 20
  private static let longestName = 64

  /// True if a text can be shown unchanged, and its lines are neither blank nor too many.
  static func isShowable(_ text: String) -> Bool {
    guard DisplayText.lines(text).hasSameBytes(as: text) else { return false }
    let lines = lines(of: text)
    return lines.count <= mostLines && !lines.contains(where: isBlank)
  }

  /// Returns the text with a mark before each line; mfad's own lines do not begin with this mark.
  static func quoted(_ text: String) -> String {
    lines(of: text).map { "> \($0)" }.joined(separator: "\n")
  }

  /// Returns the text as one line without redundant white space; `nil` if nothing of it is visible.
  static func line(_ text: String, maximum: Int = DisplayText.bodyLength) -> String? {
    let words = DisplayText.line(text, maximum: maximum).split(whereSeparator: \.isWhitespace)
    let line = words.joined(separator: " ")
    return isBlank(line) ? nil : line
  }

  /// Returns a server's name for a user, safe for use in quotation marks; `nil` if nothing of it is visible.
  static func name(_ text: String) -> String? {
    let kept = text.unicodeScalars.filter { scalar in
      switch scalar {
      case "'", "\u{2019}": true
      default: !scalar.properties.isQuotationMark
      }
    }
    return line(String(kept), maximum: longestName)
  }

  private static func lines(of text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  private static func isBlank(_ line: some StringProtocol) -> Bool {
    line.unicodeScalars.allSatisfy { scalar in
      let properties = scalar.properties
      // U+2800 is the Braille pattern without dots.
      return properties.isWhitespace || properties.isDefaultIgnorableCodePoint || scalar == "\u{2800}"
    }
  }
}
