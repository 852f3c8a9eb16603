internal import Configuration
public import EventLoop
internal import Journal
internal import Settings
internal import Time

/// Removes what has been kept long enough, every hour.
@EventLoop
public final class Retention {
  private typealias Purge = @EventLoop (_ limit: Timestamp, _ now: Timestamp) throws -> Bool

  private let vault: Vault
  private let settings: Settings
  private let time: TimeSource
  private let after: Delay
  /// The position in the audit up to which this round has come.
  private var lastAudited: Int?

  /// As many rows as may go at once.
  public static let piece = 128

  /// Whether an earlier round is not at its end.
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

  /// Removes what may go, now and every hour; of much a piece at a time, so that whoever asks meanwhile has their turn.
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
      Journal.warning("what is no longer needed could not be removed", ["reason": "\(error)"])
      left = []
    }
    // A piece that only looked leaves what is remembered as it is.
    if vault.hasUncommittedChanges { vault.forgetWhatWasRead() }
    guard !left.isEmpty else { return isUnderWay = false }
    after(.zero) { [weak self] in self?.run(left, limit, now) }
  }
}
