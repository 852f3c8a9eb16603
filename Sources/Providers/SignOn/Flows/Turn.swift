internal import EventLoop

/// Lets one caller at a time go on with a sign-on; one that only waits makes room for the next.
@EventLoop
final class Turn {
  private var isTaken = false
  private var sleeper: CheckedContinuation<Bool, Never>?
  private var timer: Timer?
  private var nextCaller: CheckedContinuation<Void, Never>?

  /// How long one answer may take, which is less than callers wait for.
  static let longestWait = Duration.seconds(25)

  /// Takes the turn; `false` if somebody has it who does not only wait.
  func take() async -> Bool {
    guard isTaken else {
      isTaken = true
      return true
    }
    guard sleeper != nil, nextCaller == nil else { return false }
    wake(false)
    // Who has the turn hands it over.
    await withCheckedContinuation { nextCaller = $0 }
    return true
  }

  /// Gives the turn away.
  func leave() {
    let next = nextCaller
    nextCaller = nil
    isTaken = next != nil
    next?.resume()
  }

  /// Waits so long within the turn; `false` when somebody else wants it first.
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
