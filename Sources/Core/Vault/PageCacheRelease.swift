import EventLoop

/// Releases the page cache of the database when nothing has used the database for a while.
@EventLoop
final class PageCacheRelease {
  private let after: Delay
  private let letGo: @EventLoop () -> Void
  private var isWaiting = false
  private var wasUsed = false

  static let patience = Duration.seconds(10)

  init(
    after: @escaping Delay = { EventLoop.after($0, $1) },
    _ letGo: @escaping @EventLoop () -> Void
  ) { (self.after, self.letGo) = (after, letGo) }

  /// Called at each use of the database.
  func noteUse() {
    wasUsed = true
    if !isWaiting { wait() }
  }

  private func wait() {
    (isWaiting, wasUsed) = (true, false)
    after(Self.patience) { [weak self] in self?.look() }
  }

  private func look() {
    guard !wasUsed else { return wait() }
    isWaiting = false
    letGo()
  }
}
