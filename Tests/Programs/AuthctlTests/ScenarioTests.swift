import Testing

@Suite("authctl", .serialized, .timeLimit(.minutes(30)))
enum AuthctlTests {
  @Suite("scenarios", .serialized)
  struct ScenarioTests {
    @Test("a scenario plays as its file describes", arguments: Scenario.all)
    func scenario(scenario: Scenario) throws {
      do { try Stage(scenario).play() } catch let problem as Stage.Problem {
        Issue.record("\(scenario.testDescription): \(problem)")
      }
    }
  }
}
