import EventLoop
import TestLoop
import Testing

@testable import SignOn

@Suite("A lock that is handed over while its holder waits")
struct AsyncMutexTests {
  @Test("only one holds the lock, and it can be taken again when it was given away")
  func alone() async throws {
    try await TestLoop.run {
      let mutex = AsyncMutex()
      #expect(await mutex.lock())
      #expect(await !mutex.lock())
      mutex.unlock()
      #expect(await mutex.lock())
    }
  }

  @Test("who only waits is woken by the next caller, who goes on once the lock is given away")
  func woken() async throws {
    try await TestLoop.run {
      let mutex = AsyncMutex()
      #expect(await mutex.lock())
      let next = EventLoop.task {
        let isLocked = await mutex.lock()
        mutex.unlock()
        return isLocked
      }
      #expect(await !mutex.wait(for: .seconds(3600)))
      // A third one finds a lock that is about to be handed over.
      #expect(await !mutex.lock())
      mutex.unlock()
      #expect(await next.value)
      #expect(await mutex.lock())
    }
  }

  @Test("a wait that nobody ends is whole, and one that is interrupted is not")
  func whole() async throws {
    try await TestLoop.run {
      let mutex = AsyncMutex()
      #expect(await mutex.lock())
      #expect(await mutex.wait(for: .milliseconds(1)))
      let wait = EventLoop.task { await mutex.wait(for: .seconds(3600)) }
      try await EventLoop.sleep(for: .milliseconds(1))
      mutex.interrupt()
      #expect(await !wait.value)
      mutex.interrupt()
    }
  }
}
