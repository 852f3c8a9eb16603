internal import Authenticator

// Texts as servers write them.

extension SafeText {
  /// A text for a person without the white space around it; `nil` if nothing is left.
  static func trimmed(_ text: String, maximum: Int = standardLength) -> String? {
    let text = line(text.trimmed, maximum: maximum)
    return text.isEmpty ? nil : text
  }

  /// A text as one line, made fit to be shown.
  static func line(_ text: String, maximum: Int) -> String {
    clean(String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 }), maximum: maximum)
  }

  /// A text with its lines, made fit to be shown.
  static func lines(_ text: String) -> String {
    let lines = text.split(
      maxSplits: longestText.lines,
      omittingEmptySubsequences: false,
      whereSeparator: \.isNewline
    )
    return lines.prefix(longestText.lines).map { line($0.description, maximum: longestText.line) }
      .joined(separator: "\n")
  }

  private static let longestText = (lines: 2000, line: 4000)
}

extension String {
  /// The text without white space at its ends.
  var trimmed: String {
    var rest = self[...]
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}

extension Substring {
  /// What stands before and after the first place where a mark stands; `nil` if it stands nowhere.
  func parted(by mark: String) -> (before: Substring, after: Substring)? {
    let length = mark.utf8.count
    var start = startIndex
    while start < endIndex {
      if let end = utf8.index(start, offsetBy: length, limitedBy: endIndex),
        utf8[start..<end].elementsEqual(mark.utf8)
      {
        return (self[..<start], self[end...])
      }
      start = utf8.index(after: start)
    }
    return nil
  }
}
