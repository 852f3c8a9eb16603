import FoundationEssentials

/// The tables of a page that compare an SDK with this project.
struct CoverageTable {
  struct Row {
    /// The heading above the table.
    let section: String
    /// The line number in the page.
    let line: Int
    /// The cells by column title.
    let cells: [String: String]
    /// The first cell: the SDK's feature.
    let subject: String
    /// The counterpart in this project.
    var here: String { cells["here"] ?? "" }
    /// The tests that prove the counterpart.
    var proof: String { cells["proven by"] ?? "" }
  }

  private(set) var rows: [Row] = []
  /// Formal errors of the tables.
  private(set) var faults: [String] = []

  /// Parses the documentation page with this name.
  init(page name: String) throws {
    try self.init(Repository.text("Sources/Programs/Daemon/Documentation.docc/\(name).md"))
  }

  /// Parses the text of a page.
  init(_ text: String) {
    var section = ""
    var columns: [String]?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard line.hasPrefix("|") else {
        columns = nil
        if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
        continue
      }
      let cells = Self.cells(line)
      guard let titles = columns else {
        columns = cells
        if cells.suffix(2) != ["here", "proven by"] {
          faults.append("line \(index + 1): another kind of table")
        }
        if Set(cells).count != cells.count { faults.append("line \(index + 1): a column stands twice") }
        continue
      }
      guard !cells.allSatisfy({ $0.allSatisfy { $0 == "-" } }) else { continue }
      guard cells.count == titles.count, !cells.contains("") else {
        faults.append("line \(index + 1): not one cell for each column")
        continue
      }
      rows.append(
        Row(
          section: section,
          line: index + 1,
          cells: Dictionary(zip(titles, cells)) { first, _ in first },
          subject: cells[0]
        )
      )
    }
  }

  private static func cells(_ line: Substring) -> [String] {
    line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map { cell in
      String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }
}

extension String {
  /// The texts between backquotes.
  var codeSpans: [String] {
    split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
  }
}
