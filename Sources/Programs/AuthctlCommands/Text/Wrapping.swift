internal import ControlClient

/// Text that is as wide as where it is shown.
enum Wrapping {
  /// The lines of a text whose paragraphs stand between empty lines; a line that is indented stays as it is.
  static func lines(_ text: SafeText, width: Int) -> [SafeText] {
    var lines: [SafeText] = []
    var words: [Substring] = []
    func end() {
      lines += fill(words, width: width)
      words = []
    }
    for line in text.text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty || line.first == " " {
        end()
        lines.append("\(line)")
      } else {
        words += line.split(separator: " ")
      }
    }
    end()
    return lines
  }

  /// Rows of two cells, the second of which goes on below itself.
  static func columns(_ rows: [[SafeText]], width: Int) -> [SafeText] {
    let first = rows.compactMap { $0.first?.columns }.max() ?? 0
    // Where there is hardly room beside the first cell the second begins below it.
    let isNarrow = width - first - 2 < 24
    let indent = isNarrow ? 6 : first + 2
    return rows.flatMap { row -> [SafeText] in
      guard row.count == 2 else { return row }
      let rest = fill(row[1].text.split(separator: " "), width: max(24, width - indent))
      guard let head = rest.first, !isNarrow else {
        return [row[0]] + rest.map { ("" as SafeText).padded(to: indent) + $0 }
      }
      return [row[0].padded(to: indent) + head]
        + rest.dropFirst().map { ("" as SafeText).padded(to: indent) + $0 }
    }
  }

  private static func fill(_ words: [Substring], width: Int) -> [SafeText] {
    var lines: [String] = []
    var taken = 0
    for word in words {
      let columns = TextWidth.columns(of: word)
      if !lines.isEmpty, taken + 1 + columns <= width {
        lines[lines.count - 1] += " \(word)"
        taken += 1 + columns
      } else {
        lines.append(String(word))
        taken = columns
      }
    }
    return lines.map { "\($0)" }
  }
}

extension SafeText {
  fileprivate static func + (one: SafeText, other: SafeText) -> SafeText { "\(one)\(other)" }
}
