import TestLoop
import Testing

@Suite("The loop of tests")
struct TestLoopTests {
  @Test("a test fails with the violations that shared code recorded, and with its own error after them")
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
