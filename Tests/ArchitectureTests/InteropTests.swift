import Testing

/// Checks the claims of interoperability, their grades and proofs, and the README's copy of them.
@Suite("Interoperability table")
struct InteropTests {
  private static let grades = ["A", "B", "C"]

  private static func ledger() throws -> CoverageTable { try CoverageTable(page: "Interop") }

  @Test("each row has a grade and existing proofs")
  func proofs() throws {
    let ledger = try Self.ledger()
    #expect(ledger.faults.isEmpty && ledger.rows.count > 6)
    for row in ledger.rows {
      #expect(Self.grades.contains(row.cells["grade"] ?? ""), "line \(row.line)")
      #expect(!row.proof.codeSpans.isEmpty, "line \(row.line)")
      for proof in row.proof.codeSpans {
        let fault = Proofs.fault(of: proof)
        #expect(fault == nil, "line \(row.line): \(proof): \(fault ?? "")")
      }
    }
  }

  @Test("each subject has one row")
  func subjects() throws {
    let subjects = try Self.ledger().rows.map(\.subject)
    #expect(Set(subjects).count == subjects.count)
  }

  @Test("claims in the README have the grades of the interoperability table")
  func readme() throws {
    let grades = Dictionary(
      uniqueKeysWithValues: try Self.ledger().rows.map { ($0.subject, $0.cells["grade"] ?? "") }
    )
    let claims = try Repository.text("README.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
      .map { line in line.split(separator: "|").map { String($0).trimmingSpaces } }
      .filter { $0.count == 4 && Self.grades.contains($0[3]) }
    #expect(claims.count > 5)
    for claim in claims { #expect(grades[claim[0]] == claim[3], "\(claim[0])") }
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
