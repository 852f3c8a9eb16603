import Testing

@Suite("Coverage of the orchestration SDKs")
struct OrchestrationCoverageTests {
  private static let sdks = ["Android", "iOS", "JavaScript"]
  private static let beyond = "Beyond the three SDKs"

  private static func table() throws -> CoverageTable {
    try CoverageTable(page: "CoverageOfTheOrchestrationSDKs")
  }

  /// Returns the faults of the cells that state the first SDK version with the feature.
  private static func faults(of row: CoverageTable.Row) -> [String] {
    sdks.compactMap { sdk in
      guard let cell = row.cells[sdk] else { return "line \(row.line): nothing is said of \(sdk)" }
      if cell == "–" { return nil }
      let isVersion = cell.wholeMatch(of: /\d+\.\d+|announced/) != nil
      return isVersion && row.section != beyond ? nil : "line \(row.line): \(sdk): \(cell): no version"
    }
  }

  /// Returns the names in the first column of a section.
  private static func names(_ table: CoverageTable, in section: String) -> [String] {
    table.rows.filter { $0.section == section }.flatMap(\.subject.codeSpans)
  }

  /// Returns missing, unknown and duplicate names of a section.
  private static func faults(
    of section: String,
    in table: CoverageTable,
    known: [String],
    isComplete: Bool = true
  ) -> [String] {
    let named = names(table, in: section)
    let twice = Dictionary(grouping: named) { $0 }.filter { $0.value.count > 1 }.keys
    let unknown = isComplete ? Set(named).subtracting(known) : []
    return Set(known).subtracting(named).sorted().map { "\(section): \($0) is missing" }
      + unknown.sorted().map { "\(section): \($0) is not known" }
      + twice.sorted().map { "\(section): \($0) stands twice" }
  }

  /// Returns the keys of the static dictionary `all` in a source file.
  private static func keys(ofTableIn path: String) throws -> [String] {
    let lines = try SourceFile(path).lines
    let start = try #require(lines.firstIndex { $0.hasPrefix("  static let all: [String: ") })
    return lines[start...].dropFirst().prefix { $0 != "  ]" }.compactMap { line in
      let parts = line.split(separator: "\"")
      return parts.count == 3 && parts[2].hasPrefix(": ") ? String(parts[1]) : nil
    }
  }

  @Test("every method, member, command, key and test in the tables exists")
  func rows() throws {
    let table = try Self.table()
    #expect(table.faults.isEmpty)
    #expect(table.rows.count > 150)
    let faults = table.rows.flatMap(\.faults)
    #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
  }

  @Test("each row has the first version per SDK, except in the section beyond the SDKs")
  func versions() throws {
    let faults = try Self.table().rows.flatMap(Self.faults)
    #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
  }

  @Test(
    "each type in the source table has one row, and no other type has",
    arguments: [
      ("Fields of DaVinci", "Sources/Providers/SignOn/DaVinci/Fields/FieldTable.swift"),
      ("Callbacks of journeys", "Sources/Providers/SignOn/Journey/CallbackTable.swift"),
    ]
  )
  func types(section: String, path: String) throws {
    let known = try Self.keys(ofTableIn: path)
    #expect(known.count > 25)
    let faults = Self.faults(of: section, in: try Self.table(), known: known)
    #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
  }

  @Test("the tables have every name of the SDKs")
  func names() throws {
    let table = try Self.table()
    let sections = NameList.sections(try Repository.text("Tests/Fixtures/orchestration-sdk-names.txt"))
    #expect(sections.count > 4)
    let faults = sections.flatMap { section, names in
      Self.faults(of: section, in: table, known: names, isComplete: false)
    }
    #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
  }

  @Test(
    "a row with a wrong name, version, counterpart or proof is reported",
    arguments: [
      ("`TEXT`", "", "`login.start`", "`test_login.py::test_cancelled_sign_on_is_closed`"),
      ("`TEXT`", "yes", "`login.start`", "`test_login.py::test_cancelled_sign_on_is_closed`"),
      ("`TEXT`", "1", "`login.start`", "`test_login.py::test_cancelled_sign_on_is_closed`"),
      ("`TEXT`", "1.0", "`login.begin`", "`test_login.py::test_cancelled_sign_on_is_closed`"),
      ("`TEXT`", "1.0", "a line of text", "`test_login.py::test_cancelled_sign_on_is_closed`"),
      ("`TEXT`", "1.0", "`login.start`", "–"),
      ("`TEXT`", "1.0", "`login.start`", "`test_login.py::credentials`"),
      ("`TEXT`", "1.0", "`login.start`", "`Programs/SandboxTests/DeviceGrantTests.swift::poll`"),
      ("`NOVELTY`", "1.0", "`login.start`", "`test_login.py::test_cancelled_sign_on_is_closed`"),
      ("text", "1.0", "`login.start`", "`test_login.py::test_cancelled_sign_on_is_closed`"),
      ("`TEXT`, `TEXT`", "1.0", "`login.start`", "`test_login.py::test_cancelled_sign_on_is_closed`"),
    ]
  )
  func judgement(name: String, version: String, here: String, proof: String) {
    func faults(_ name: String, _ version: String, _ here: String, _ proof: String) -> [String] {
      let table = CoverageTable(
        """
        ## Fields of DaVinci

        | feature | Android | iOS | JavaScript | here | proven by |
        |---|---|---|---|---|---|
        | \(name) | – | \(version) | 2.1 | \(here) | \(proof) |
        """
      )
      return table.faults + table.rows.flatMap(\.faults) + table.rows.flatMap(Self.faults)
        + Self.faults(of: "Fields of DaVinci", in: table, known: ["TEXT"])
    }
    let tests =
      "`test_login.py::test_cancelled_sign_on_is_closed`, `Providers/SignOnTests/AsyncMutexTests.swift::alone`"
    #expect(faults("`TEXT`: a line", "1.0", "`login.start`", tests) == [])
    #expect(faults(name, version, here, proof) != [])
  }
}
