internal import Configuration
internal import ControlAPI
internal import EventLoop
internal import Journal
internal import SQLite
internal import Time

extension Authenticator {
  private static let purgeInterval = Duration.seconds(3600)
  private static let secondsPerDay = 86_400

  /// Removes what has been kept long enough, now and every hour.
  package func startPurging() {
    do {
      let now = time.now()
      try store.purge(
        before: now.adding(seconds: -configuration.retentionDays * Self.secondsPerDay),
        now: now
      )
    } catch { Journal.warning("what is no longer needed could not be removed", ["reason": "\(error)"]) }
    EventLoop.after(Self.purgeInterval) { [weak self] in self?.startPurging() }
  }
}

extension Store {
  /// Removes entries of the audit, pushes and codes that were settled before an instant, and what counts only until its own end.
  ///
  /// A push is kept at least as long as it could be replayed, which is a day.
  func purge(before limit: Timestamp, now: Timestamp) throws {
    try transaction { database in
      try database.run(
        "DELETE FROM notification WHERE state NOT IN ('pending', 'sending') AND received_at < ?",
        SQLValue(limit.milliseconds)
      )
      try database.run("DELETE FROM authentication WHERE expires_at < ?", SQLValue(limit.milliseconds))
      try database.run("DELETE FROM cancelled_push WHERE expires_at < ?", SQLValue(now.milliseconds))
      try database.run(
        """
        DELETE FROM account WHERE state = 'activating'
          AND id IN (SELECT account FROM pairing WHERE state = 'received' AND expires_at < ?)
        """,
        SQLValue(limit.milliseconds)
      )
      try database.run(
        "DELETE FROM pairing WHERE state = 'received' AND expires_at < ?",
        SQLValue(limit.milliseconds)
      )
      try database.run("DELETE FROM audit WHERE at < ?", SQLValue(limit.milliseconds))
      try database.run("DELETE FROM used_token WHERE expires_at < ?", SQLValue(now.milliseconds))
    }
  }
}
