internal import EventLoop
internal import Journal
internal import SQLite

/// Gives the room of deleted rows back to the file system, a little at a time, so that nobody waits for it.
@EventLoop
final class Compaction {
  private let vault: Vault
  private let after: Delay
  private var isUnderWay = false
  private var hasReleased = false

  /// Between two steps whoever waits has their turn.
  private static let pause = Duration.milliseconds(50)
  /// The part of a file that may be free, for what comes next.
  private static let freePart = 4

  init(_ vault: Vault, after: @escaping Delay = { EventLoop.after($0, $1) }) {
    (self.vault, self.after) = (vault, after)
  }

  /// Begins, unless it is under way; it ends by itself.
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
      // A file that was made without pointers between its pages keeps its size until it is written anew.
      guard left < pages.free else { return finish() }
      hasReleased = true
      start()
    } catch { Journal.warning("free room could not be given back", ["reason": "\(error)"]) }
  }

  /// The file itself becomes smaller when the log is brought into it.
  private func finish() {
    guard hasReleased else { return }
    hasReleased = false
    EventLoop.task { [vault] in try? await vault.log.finished() }
  }
}
