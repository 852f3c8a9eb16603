internal import EventLoop

/// Lets one caller at a time go on; one that holds the lock and only waits makes room for the next.
@EventLoop
final class AsyncMutex {
  private var isLocked = false
  private var sleeper: CheckedContinuation<Bool, Never>?
  private var timer: Timer?
  private var nextCaller: CheckedContinuation<Void, Never>?

  /// How long one call may take, which is less than callers wait for.
  static let longestWait = Duration.seconds(25)

  /// Takes the lock; `false` if somebody has it who does not only wait.
  func lock() async -> Bool {
    guard isLocked else {
      isLocked = true
      return true
    }
    guard sleeper != nil, nextCaller == nil else { return false }
    wake(false)
    // Who holds the lock hands it over.
    await withCheckedContinuation { nextCaller = $0 }
    return true
  }

  /// Gives the lock away.
  func unlock() {
    let next = nextCaller
    nextCaller = nil
    isLocked = next != nil
    next?.resume()
  }

  /// Waits so long while holding the lock; `false` when somebody else wants it first.
  func wait(for duration: Duration) async -> Bool {
    await withCheckedContinuation { continuation in
      sleeper = continuation
      timer = EventLoop.after(duration) { [weak self] in self?.wake(true) }
    }
  }

  /// Ends the wait early.
  func interrupt() { wake(false) }

  private func wake(_ isWhole: Bool) {
    timer?.cancel()
    timer = nil
    let waiting = sleeper
    sleeper = nil
    waiting?.resume(returning: isWhole)
  }
}
