import EventLoop
import TestLoop
import Testing

@testable import SignOn

@Suite("async mutex")
struct AsyncMutexTests {
  @Test("one task holds the lock, and it can be taken again after release")
  func alone() async throws {
    try await TestLoop.run {
      let mutex = AsyncMutex()
      #expect(await mutex.lock())
      #expect(await !mutex.lock())
      mutex.unlock()
      #expect(await mutex.lock())
    }
  }

  @Test("a waiting holder is woken by the next caller, which gets the lock after release")
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
      // A third caller finds a lock that the next caller will get.
      #expect(await !mutex.lock())
      mutex.unlock()
      #expect(await next.value)
      #expect(await mutex.lock())
    }
  }

  @Test("a wait returns true after its full time and false if interrupted")
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
