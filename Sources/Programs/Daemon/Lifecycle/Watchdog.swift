internal import Configuration
internal import EventLoop
internal import Glibc
internal import Journal
internal import SQLite
internal import Vault

/// Sends watchdog pings at half of the service manager's interval, sd_watchdog_enabled(3).
///
/// Missed pings cause a restart.
///
/// A ping requires a running event loop, a readable and writable database, and a key that opens the values
/// that it sealed. With an invalid configuration, only the loop is checked. Faults that a restart does not
/// fix do not stop the pings: an unavailable key, a full disk, a damaged or missing database, a newer schema
/// version.
@EventLoop
final class Watchdog {
  private let vault: Vault?
  private let interval: Duration
  private var isSilent = false

  /// `nil` if the service manager expects no pings of this process.
  init?(_ vault: Vault?) {
    let process = ProcessEnvironment.value("WATCHDOG_PID").flatMap { pid_t($0) }
    guard process == nil || process == getpid(),
      let microseconds = ProcessEnvironment.value("WATCHDOG_USEC").flatMap({ Int64($0) }), microseconds > 1
    else { return nil }
    (self.vault, interval) = (vault, .microseconds(microseconds / 2))
  }

  /// Starts pinging, which goes on while the loop runs.
  func start() {
    EventLoop.task { [self] in
      while true {
        ping()
        // After a failure, check again sooner: a success in time still prevents the restart.
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
      if !isSilent { Journal.error("no watchdog ping is sent: a check failed", ["reason": "\(error)"]) }
      isSilent = true
    }
  }
}

extension SQLiteError {
  /// True if the error would persist after a restart.
  fileprivate var outlivesAStart: Bool { [.full, .newer, .corrupt, .missing].contains(kind) }
}
