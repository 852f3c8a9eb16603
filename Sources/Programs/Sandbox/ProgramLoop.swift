import EventLoop
import Glibc
import Synchronization

/// The program's time on the event loop, and what it ends with.
enum ProgramLoop {
  private static let status = Atomic<Int32>(0)

  /// Runs what the program does; without an exit code it goes on until `end`.
  static func run(_ body: @escaping @EventLoop @Sendable () async -> Int32?) -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    EventLoop.task { if let code = await body() { end(code) } }
    EventLoop.run()
    return status.load(ordering: .relaxed)
  }

  @EventLoop
  static func end(_ code: Int32) {
    status.store(code, ordering: .relaxed)
    EventLoop.stop()
  }
}
