internal import JSON
internal import Text

/// Words of a server's within what a person agrees to: bounded, and told apart from this program's own.
enum QuotedText {
  private static let mostLines = 20
  private static let longestName = 64

  /// Whether a text can be shown as it is, without pushing anything else out of sight.
  static func isShowable(_ text: String) -> Bool {
    guard DisplayText.lines(text).hasSameBytes(as: text) else { return false }
    let lines = lines(of: text)
    return lines.count <= mostLines && !lines.contains(where: isBlank)
  }

  /// The text with a mark before each line, which no line of this program's own begins with.
  static func quoted(_ text: String) -> String {
    lines(of: text).map { "> \($0)" }.joined(separator: "\n")
  }

  /// A text as one line without needless white space; `nil` if nothing can be seen of it.
  static func line(_ text: String, maximum: Int = DisplayText.bodyLength) -> String? {
    let words = DisplayText.line(text, maximum: maximum).split(whereSeparator: \.isWhitespace)
    let line = words.joined(separator: " ")
    return isBlank(line) ? nil : line
  }

  /// What a server calls a user, fit to stand in quotation marks; `nil` if nothing can be seen of it.
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
      // The last is a pattern of Braille without dots.
      return properties.isWhitespace || properties.isDefaultIgnorableCodePoint || scalar == "\u{2800}"
    }
  }
}
