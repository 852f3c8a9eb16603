import EventLoop

/// Has the pages of the database let go that are kept to be read again, once nothing has used it for a while.
@EventLoop
final class UnusedPages {
  private let after: Delay
  private let letGo: @EventLoop () -> Void
  private var isWaiting = false
  private var wasUsed = false

  static let patience = Duration.seconds(10)

  init(
    after: @escaping Delay = { EventLoop.after($0, $1) },
    _ letGo: @escaping @EventLoop () -> Void
  ) { (self.after, self.letGo) = (after, letGo) }

  /// The database is used now.
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
