import EventLoop
import TestLoop
import Testing

@testable import Vault

@Suite("Letting go of what is kept of the database")
struct UnusedPagesTests {
  /// The one wait that is under way, which a test ends.
  @EventLoop
  private final class Wait {
    private(set) var length: Duration?
    private var handler: (@EventLoop () -> Void)?

    nonisolated init() {}

    func begin(_ length: Duration, _ handler: @escaping @EventLoop () -> Void) {
      (self.length, self.handler) = (length, handler)
    }

    func end() {
      let ended = handler
      (length, handler) = (nil, nil)
      ended?()
    }
  }

  @Test("it is let go once nothing has used it for a while, and once only until it is used again")
  func patience() async throws {
    try await TestLoop.run {
      let wait = Wait()
      var count = 0
      let pages = UnusedPages(after: { wait.begin($0, $1) }) { count += 1 }
      for _ in 0..<3 { pages.noteUse() }
      #expect(wait.length == UnusedPages.patience)
      pages.noteUse()
      wait.end()
      #expect(count == 0 && wait.length == UnusedPages.patience)
      wait.end()
      #expect(count == 1 && wait.length == nil)
      pages.noteUse()
      wait.end()
      #expect(count == 2 && wait.length == nil)
    }
  }
}
