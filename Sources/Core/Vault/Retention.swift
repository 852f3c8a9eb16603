internal import Configuration
package import EventLoop
internal import Journal
package import Settings
package import Time

/// Removes what has been kept long enough, every hour.
@EventLoop
package final class Retention {
  /// Removes some rows of those that were settled before the limit, and of those that count only until now.
  ///
  /// No more at once than nobody notices; returns whether there may be more.
  package typealias Purge = @EventLoop (_ limit: Timestamp, _ now: Timestamp) throws -> Bool

  private let vault: Vault
  private let settings: Settings
  private let time: TimeSource
  private let after: Delay
  private var purges: [Purge] = []

  /// As many rows as may go at once.
  package static let piece = 128

  /// Whether an earlier round is not at its end.
  private var isUnderWay = false

  private static let interval = Duration.seconds(3600)
  private static let secondsPerDay = 86_400

  package init(
    vault: Vault,
    settings: Settings,
    time: TimeSource,
    after: @escaping Delay = { EventLoop.after($0, $1) }
  ) {
    (self.vault, self.settings, self.time, self.after) = (vault, settings, time, after)
    var last: Int?
    purge { [vault] in
      last = try vault.purgeAudit(before: $0, now: $1, after: last)
      return last != nil
    }
  }

  /// Adds what removes rows of some tables.
  package func purge(_ purge: @escaping Purge) { purges.append(purge) }

  /// Adds what removes rows of which there never are many, all of them at once.
  package func purgeWhole(_ purge: @escaping @EventLoop (_ limit: Timestamp, _ now: Timestamp) throws -> Void)
  {
    self.purge {
      try purge($0, $1)
      return false
    }
  }

  /// Removes what may go, now and every hour; of much a piece at a time, so that whoever asks meanwhile has their turn.
  package func start() {
    if !isUnderWay {
      isUnderWay = true
      let now = time.now()
      let limit = now.adding(seconds: -settings.current.retentionDays * Self.secondsPerDay)
      run(purges[...], limit, now)
    }
    after(Self.interval) { [weak self] in self?.start() }
  }

  private func run(_ purges: ArraySlice<Purge>, _ limit: Timestamp, _ now: Timestamp) {
    var left = purges
    do {
      while let purge = left.first {
        let isMore = try purge(limit, now)
        if isMore { break }
        left.removeFirst()
      }
    } catch {
      Journal.warning("what is no longer needed could not be removed", ["reason": "\(error)"])
      left = []
    }
    // A piece that only looked leaves what is remembered as it is.
    if vault.hasUncommittedChanges { vault.forgetWhatWasRead() }
    guard !left.isEmpty else { return isUnderWay = false }
    after(.zero) { [weak self] in self?.run(left, limit, now) }
  }
}
