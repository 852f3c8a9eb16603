internal import ControlClient

/// Rows of cells that stand below each other.
enum Columns {
  /// A line for each item, of the cells that it has.
  static func lines<Item>(_ items: [Item], _ cells: (Item) -> [SafeText]) -> [SafeText] {
    lines(items.map(cells))
  }

  /// The texts with a number before each, from 1.
  static func numbered(_ texts: [SafeText], after prefix: SafeText = "  ") -> [SafeText] {
    lines(texts.enumerated().map { ["\(prefix)\($0.offset + 1)", $0.element] })
  }

  /// The rows as lines; the last cell of a row is not filled up.
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
