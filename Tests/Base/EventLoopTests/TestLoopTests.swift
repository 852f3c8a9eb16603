import TestLoop
import Testing

@Suite("Test loop")
struct TestLoopTests {
  @Test("a test fails with all recorded violations, followed by its own error")
  func violations() async throws {
    struct Wrong: Error {}
    let failure = await #expect(throws: TestViolations.self) {
      try await TestLoop.run {
        TestLoop.violate("one")
        TestLoop.violate("another")
        throw Wrong()
      }
    }
    #expect(failure?.reasons == ["one", "another", "Wrong()"])
  }
}
