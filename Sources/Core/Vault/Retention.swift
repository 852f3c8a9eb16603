internal import Configuration
public import EventLoop
internal import Journal
internal import Settings
internal import Time

/// Removes, every hour, data that is older than the retention period or has expired.
@EventLoop
public final class Retention {
  private typealias Purge = @EventLoop (_ limit: Timestamp, _ now: Timestamp) throws -> Bool

  private let vault: Vault
  private let settings: Settings
  private let time: TimeSource
  private let after: Delay
  /// The owner up to which this round has purged the audit.
  private var lastAudited: Int?

  /// Maximum number of rows that are removed at once.
  public static let piece = 128

  /// True while a round is running.
  private var isUnderWay = false

  private static let interval = Duration.seconds(3600)
  private static let secondsPerDay = 86_400

  init(
    vault: Vault,
    settings: Settings,
    time: TimeSource,
    after: @escaping Delay
  ) {
    (self.vault, self.settings, self.time, self.after) = (vault, settings, time, after)
  }

  /// Removes expired data now and every hour, in batches, so that other requests are not delayed.
  public func start() {
    if !isUnderWay {
      isUnderWay = true
      let now = time.now()
      let limit = now.adding(seconds: -settings.current.retentionDays * Self.secondsPerDay)
      let purges: [Purge] = vault.components.all.map { component in
        { try component.purge(before: $0, now: $1) }
      }
      run(([purgeAudit] + purges)[...], limit, now)
    }
    after(Self.interval) { [weak self] in self?.start() }
  }

  private func purgeAudit(before limit: Timestamp, now: Timestamp) throws -> Bool {
    lastAudited = try vault.purgeAudit(before: limit, now: now, after: lastAudited)
    return lastAudited != nil
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
      Journal.warning("expired data could not be removed", ["reason": "\(error)"])
      left = []
    }
    // Only a batch that changed something makes the caches invalid.
    if vault.hasUncommittedChanges { vault.invalidateCaches() }
    guard !left.isEmpty else { return isUnderWay = false }
    after(.zero) { [weak self] in self?.run(left, limit, now) }
  }
}
