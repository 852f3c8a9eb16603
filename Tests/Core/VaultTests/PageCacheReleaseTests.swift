import EventLoop
import TestLoop
import Testing

@testable import Vault

@Suite("Release of the page cache")
struct PageCacheReleaseTests {
  /// The current wait, which the test ends.
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

  @Test("the page cache is released once after a time without use")
  func patience() async throws {
    try await TestLoop.run {
      let wait = Wait()
      var count = 0
      let pages = PageCacheRelease(after: { wait.begin($0, $1) }) { count += 1 }
      for _ in 0..<3 { pages.noteUse() }
      #expect(wait.length == PageCacheRelease.patience)
      pages.noteUse()
      wait.end()
      #expect(count == 0 && wait.length == PageCacheRelease.patience)
      wait.end()
      #expect(count == 1 && wait.length == nil)
      pages.noteUse()
      wait.end()
      #expect(count == 2 && wait.length == nil)
    }
  }
}
