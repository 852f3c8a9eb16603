package import Configuration
package import EventLoop
internal import Journal
package import Time

/// Removes what has been kept long enough, every hour.
@EventLoop
package final class Retention {
  /// Removes rows: those that were settled before the limit, and those that count only until now.
  package typealias Purge = @EventLoop (_ limit: Timestamp, _ now: Timestamp) throws -> Void

  private let vault: Vault
  private let settings: Settings
  private let time: TimeSource
  private let after: Delay
  private var purges: [Purge] = []

  private static let interval = Duration.seconds(3600)
  private static let secondsPerDay = 86_400

  package init(
    vault: Vault,
    settings: Settings,
    time: TimeSource,
    after: @escaping Delay = { EventLoop.after($0, $1) }
  ) {
    (self.vault, self.settings, self.time, self.after) = (vault, settings, time, after)
    purge { [vault] in try vault.purgeAudit(before: $0, now: $1) }
  }

  /// Adds what removes rows of some tables.
  package func purge(_ purge: @escaping Purge) { purges.append(purge) }

  /// Removes what may go, now and every hour.
  package func start() {
    do { try purgeNow() } catch {
      Journal.warning("what is no longer needed could not be removed", ["reason": "\(error)"])
    }
    after(Self.interval) { [weak self] in self?.start() }
  }

  package func purgeNow() throws {
    let now = time.now()
    let limit = now.adding(seconds: -settings.current.retentionDays * Self.secondsPerDay)
    try vault.write { _ in
      for purge in purges { try purge(limit, now) }
    }
    vault.forgetWhatWasRead()
  }
}
