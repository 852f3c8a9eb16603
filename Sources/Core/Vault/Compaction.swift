internal import EventLoop
internal import Journal
internal import SQLite

/// Returns the space of deleted rows to the file system, in small steps that do not delay requests.
@EventLoop
final class Compaction {
  private let vault: Vault
  private let after: Delay
  private var isUnderWay = false
  private var hasReleased = false

  /// The pause between two steps, in which other work runs.
  private static let pause = Duration.milliseconds(50)
  /// Divisor of the number of all pages; the quotient is the number that may stay free for new rows.
  private static let freePart = 4

  init(_ vault: Vault, after: @escaping Delay = { EventLoop.after($0, $1) }) {
    (self.vault, self.after) = (vault, after)
  }

  /// Starts the compaction unless it is in progress; it stops automatically.
  func start() {
    guard !isUnderWay else { return }
    isUnderWay = true
    after(Self.pause) { [weak self] in self?.step() }
  }

  private func step() {
    isUnderWay = false
    do {
      let pages = try vault.database.pageCounts()
      guard pages.free > pages.all / Self.freePart else { return finish() }
      try vault.write { try $0.releaseFreePages() }
      let left = try vault.database.pageCounts().free
      // The step released nothing, for instance because the file was created without auto-vacuum.
      guard left < pages.free else { return finish() }
      hasReleased = true
      start()
    } catch { Journal.warning("free space of the database could not be released", ["reason": "\(error)"]) }
  }

  /// Truncates the WAL, since only the checkpoint shrinks the file.
  private func finish() {
    guard hasReleased else { return }
    hasReleased = false
    EventLoop.task { [vault] in try? await vault.log.finished() }
  }
}
