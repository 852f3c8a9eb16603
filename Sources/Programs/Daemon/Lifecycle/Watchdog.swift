internal import Configuration
internal import EventLoop
internal import Glibc
internal import Journal
internal import SQLite
internal import Vault

/// Tells the service manager at half of its interval that the daemon is well, sd_watchdog_enabled(3); who is silent is
/// ended and started again.
///
/// Well is a daemon whose loop turns, which the ping itself shows, whose database can be read and written, and whose key
/// opens what it sealed; of one that serves nothing only the loop counts. What another start would not change is no reason for silence: a key that cannot be had, a full
/// disk, a damaged database or one of a newer version.
@EventLoop
final class Watchdog {
  private let vault: Vault?
  private let interval: Duration
  private var isSilent = false

  /// Nothing where nobody waits for pings of this process.
  init?(_ vault: Vault?) {
    let process = ProcessEnvironment.value("WATCHDOG_PID").flatMap { pid_t($0) }
    guard process == nil || process == getpid(),
      let microseconds = ProcessEnvironment.value("WATCHDOG_USEC").flatMap({ Int64($0) }), microseconds > 1
    else { return nil }
    (self.vault, interval) = (vault, .microseconds(microseconds / 2))
  }

  /// Pings from now on, as long as the loop runs.
  func start() {
    EventLoop.task { [self] in
      while true {
        ping()
        // One look that fails is not the end: there is time for others.
        try await EventLoop.sleep(for: isSilent ? interval / 4 : interval)
      }
    }
  }

  private func ping() {
    do {
      do { try vault?.checkItself() } catch let error as SQLiteError where error.outlivesAStart {}
      isSilent = false
      ServiceManager.notify("WATCHDOG=1")
    } catch {
      if !isSilent { Journal.error("the watchdog is not told that all is well", ["reason": "\(error)"]) }
      isSilent = true
    }
  }
}

extension SQLiteError {
  /// Whether another start would meet the same.
  fileprivate var outlivesAStart: Bool { [.full, .newer, .corrupt].contains(kind) }
}
