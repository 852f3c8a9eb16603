import FoundationEssentials

/// The tables of a page that sets an SDK beside what is here.
struct CoverageTable {
  /// One row.
  struct Row {
    /// The heading that its table stands under.
    let section: String
    /// Where it stands, for whoever has to find it.
    let line: Int
    /// Its cells by the titles of their columns.
    let cells: [String: String]
    /// What it is about.
    let subject: String
    /// What stands for it here.
    var here: String { cells["here"] ?? "" }
    /// Which tests prove it.
    var proof: String { cells["proven by"] ?? "" }
  }

  /// The rows.
  private(set) var rows: [Row] = []
  /// What is wrong with the form of the page.
  private(set) var faults: [String] = []

  /// Reads a page of the documentation by its name.
  init(page name: String) throws {
    try self.init(Repository.text("Sources/Programs/Daemon/Documentation.docc/\(name).md"))
  }

  /// Reads a page.
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
  /// What stands between backquotes.
  var codeSpans: [String] {
    split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
  }
}
