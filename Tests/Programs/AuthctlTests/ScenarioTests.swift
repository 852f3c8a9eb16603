import Testing

@Suite("authctl", .serialized, .timeLimit(.minutes(30)))
enum AuthctlTests {
  @Suite("Scenarios", .serialized)
  struct ScenarioTests {
    @Test("a conversation goes as its file tells", arguments: Scenario.all)
    func scenario(scenario: Scenario) throws {
      do { try Stage(scenario).play() } catch let problem as Stage.Problem {
        Issue.record("\(scenario.testDescription): \(problem)")
      }
    }
  }
}
