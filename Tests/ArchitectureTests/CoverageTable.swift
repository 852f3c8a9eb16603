import FoundationEssentials

/// The tables of the page that sets the native SDK beside what is here.
struct CoverageTable {
  /// One row.
  struct Row {
    /// The heading that its table stands under.
    let section: String
    /// Where it stands, for whoever has to find it.
    let line: Int
    /// The native SDK's names, each with its platform.
    let names: [NativeName]
    /// What stands for them here.
    let here: String
    /// Which tests prove it.
    let proof: String
  }

  /// The rows.
  private(set) var rows: [Row] = []
  /// What is wrong with the form of the page.
  private(set) var faults: [String] = []

  /// Reads the page.
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
        continue
      }
      guard !cells.allSatisfy({ $0.allSatisfy { $0 == "-" } }) else { continue }
      guard cells.count == titles.count, !cells.contains("") else {
        faults.append("line \(index + 1): not one cell for each column")
        continue
      }
      let names = zip(titles, cells).flatMap { title, cell in
        NativeName.Platform(rawValue: title).map { platform in
          cell.codeSpans.map { NativeName(section: section, platform: platform, text: $0) }
        } ?? []
      }
      rows.append(
        Row(
          section: section,
          line: index + 1,
          names: names,
          here: cells[cells.count - 2],
          proof: cells.last ?? ""
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

/// A name of the native SDK, on one platform, below the heading of its object.
struct NativeName: Hashable, CustomStringConvertible {
  /// Where the name is used.
  enum Platform: String {
    case iOS, Android
  }

  let section: String
  let platform: Platform
  let text: String

  var description: String { "\(section): \(platform) \(text)" }

  /// The names of a list: headings of objects, and under them lines of platform and name.
  static func list(_ text: String) -> [NativeName] {
    var section = ""
    return text.split(separator: "\n").compactMap { line in
      if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
      guard !line.hasPrefix("#"), let space = line.firstIndex(of: " "),
        let platform = Platform(rawValue: String(line[..<space]))
      else { return nil }
      return NativeName(section: section, platform: platform, text: String(line[line.index(after: space)...]))
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
