internal import ControlClient
internal import Text

/// Formats rows of cells as columns.
enum Columns {
  /// Returns one line for each item.
  static func lines<Item>(_ items: [Item], _ cells: (Item) -> [SafeText]) -> [SafeText] {
    lines(items.map(cells))
  }

  /// Returns the texts, numbered from 1.
  static func numbered(_ texts: [SafeText], after prefix: SafeText = "  ") -> [SafeText] {
    lines(texts.enumerated().map { ["\(prefix)\($0.offset + 1)", $0.element] })
  }

  /// Returns the rows as lines below a header; nothing without rows.
  static func lines(_ rows: [[SafeText]], under header: [SafeText]) -> [SafeText] {
    rows.isEmpty ? [] : lines([header] + rows)
  }

  /// Returns the rows as lines.
  ///
  /// The last cell of a row is not padded.
  static func lines(_ rows: [[SafeText]]) -> [SafeText] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.map { column < $0.count - 1 ? $0[column].columns : 0 }.max() ?? 0
    }
    return rows.map { row in
      row.enumerated().map { index, cell in index < row.count - 1 ? cell.padded(to: widths[index]) : cell }
        .joined(separator: "  ")
    }
  }
}

extension Columns {
  /// Fits a row to a width: cells that do not fit continue on the next line.
  ///
  /// A cell is split only if it alone is too wide.
  ///
  /// A row with one cell is a sentence or text to copy and stays unchanged, as do all rows if the width is
  /// unknown (0).
  static func fitted(_ line: SafeText, width: Int) -> [SafeText] {
    let indent = line.text.prefix { $0 == " " }.count
    let cells = line.text.split(separator: "  ").map { "\($0.trimmed { $0 == " " })" as SafeText }
      .filter { !$0.text.isEmpty }
    // Splitting could separate a colour sequence from its text.
    let isText = !line.text.contains("\u{1B}")
    guard width > 0, line.columns > width, cells.count > 1, isText else { return [line] }
    let margin = ("" as SafeText).padded(to: min(indent + 2, width / 4))
    let room = max(1, width - margin.columns)
    let first = ("" as SafeText).padded(to: min(indent, width / 4))
    var lines: [SafeText] = []
    for cell in cells {
      if let last = lines.last, last.columns + 2 + cell.columns <= width {
        lines[lines.count - 1] = "\(last)  \(cell)"
      } else if cell.columns > room, let last = lines.last, last.columns <= width / 4 {
        // A long label stays beside its number and continues with the same indent.
        let margin = ("" as SafeText).padded(to: last.columns + 2)
        let parts = Wrapping.lines(cell, width: width - margin.columns)
        lines[lines.count - 1] = "\(last)  \(parts.first ?? "")"
        lines += parts.dropFirst().map { "\(margin)\($0)" }
      } else {
        for part in Wrapping.lines(cell, width: room) {
          lines.append(lines.isEmpty ? "\(first)\(part)" : "\(margin)\(part)")
        }
      }
    }
    return lines
  }
}

/// Wraps text to a width.
enum Wrapping {
  /// Returns the lines of a text with paragraphs between empty lines; indented lines are not wrapped.
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

  /// Returns rows of two cells; the second cell wraps in its own column.
  static func columns(_ rows: [[SafeText]], width: Int) -> [SafeText] {
    let first = rows.compactMap { $0.first?.columns }.max() ?? 0
    // If the second column would be too narrow, the second cell begins below the first.
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
