import EventLoop
import SQLite
import TestLoop
import Testing

@testable import Vault

@Suite("Rollback counter", .timeLimit(.minutes(30)))
struct RollbackCounterTests {
  /// Reasons that a finding cannot be stored at once.
  enum Hindrance: CaseIterable {
    case locked, undone, audit
  }

  private static let refusing: StaticString =
    "CREATE TRIGGER refusing BEFORE INSERT ON audit BEGIN SELECT RAISE(FAIL, 'refused'); END"

  @Test(
    "a rolled-back state detected while storing fails is recorded later",
    arguments: Hindrance.allCases
  )
  func finding(_ hindrance: Hindrance) async throws {
    try await TestLoop.run {
      let stage = try PutBackStage()
      try stage.change()
      try stage.restart { try stage.copy(stage.state, as: "older") }
      try stage.change()
      var other: Database?
      try stage.restart {
        try stage.putBack("older", as: stage.state)
      } first: { start in
        let path = start.vault.path
        _ = try start.vault.database
        switch hindrance {
        case .locked:
          other = try Database(path: path)
          try other?.begin()
        case .undone: try start.vault.write { try $0.run("INSERT INTO promise VALUES (99)") }
        case .audit: try Database(path: path).executeScript(Self.refusing)
        }
      }
      #expect(try stage.findings.isEmpty)
      other?.rollBack()
      if hindrance == .audit { try stage.life.vault.database.executeScript("DROP TRIGGER refusing") }
      try stage.change()
      #expect(try stage.findings == ["older"])
      #expect(try stage.life.counter.noticedAt != nil)
      try stage.restart()
      #expect(try stage.findings == ["older"], "it is told once")
    }
  }
}
