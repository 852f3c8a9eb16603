internal import EventLoop
internal import Glibc
internal import Journal
internal import Vault

/// Tells the service manager at half of its interval that the daemon is well, sd_watchdog_enabled(3); who is silent is
/// ended and started again.
///
/// Well is a daemon whose loop turns, which the ping itself shows, whose database can be read and written, and whose key
/// opens what it sealed. A key that cannot be had is no reason for silence: another start would not bring it, and what
/// needs none goes on. Neither is a full disk, which undone writes do not meet.
@EventLoop
final class Watchdog {
  private let vault: Vault
  private let interval: Duration
  private var isSilent = false

  /// Nothing where nobody waits for pings of this process.
  init?(_ vault: Vault) {
    let process = Environment.value("WATCHDOG_PID").flatMap { pid_t($0) }
    guard process == nil || process == getpid(),
      let microseconds = Environment.value("WATCHDOG_USEC").flatMap({ Int64($0) }), microseconds > 1
    else { return nil }
    (self.vault, interval) = (vault, .microseconds(microseconds / 2))
  }

  /// Pings from now on, as long as the loop runs.
  func start() {
    EventLoop.task { [self] in
      while true {
        ping()
        try await EventLoop.sleep(for: interval)
      }
    }
  }

  private func ping() {
    do {
      try vault.checkItself()
      isSilent = false
      ServiceManager.notify("WATCHDOG=1")
    } catch {
      if !isSilent { Journal.error("the watchdog is not told that all is well", ["reason": "\(error)"]) }
      isSilent = true
    }
  }
}
