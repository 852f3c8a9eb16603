internal import EventLoop

/// A lock for one caller at a time; the next caller interrupts a holder that is in `wait(for:)`.
@EventLoop
final class AsyncMutex {
  private var isLocked = false
  private var sleeper: CheckedContinuation<Bool, Never>?
  private var timer: Timer?
  private var nextCaller: CheckedContinuation<Void, Never>?

  /// Maximum wait of one call, shorter than the timeout of clients.
  static let longestWait = Duration.seconds(25)

  /// Acquires the lock; `false` if the holder is not in `wait(for:)` or another caller is already next.
  func lock() async -> Bool {
    guard isLocked else {
      isLocked = true
      return true
    }
    guard sleeper != nil, nextCaller == nil else { return false }
    wake(false)
    // `unlock` passes the lock to this caller.
    await withCheckedContinuation { nextCaller = $0 }
    return true
  }

  /// Releases the lock.
  func unlock() {
    let next = nextCaller
    nextCaller = nil
    isLocked = next != nil
    next?.resume()
  }

  /// Waits for this duration while holding the lock; returns `false` if interrupted.
  func wait(for duration: Duration) async -> Bool {
    await withCheckedContinuation { continuation in
      sleeper = continuation
      timer = EventLoop.after(duration) { [weak self] in self?.wake(true) }
    }
  }

  /// Interrupts the wait.
  func interrupt() { wake(false) }

  private func wake(_ isWhole: Bool) {
    timer?.cancel()
    timer = nil
    let waiting = sleeper
    sleeper = nil
    waiting?.resume(returning: isWhole)
  }
}
