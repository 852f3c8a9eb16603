internal import CLinux
internal import ControlClient
internal import Glibc
internal import UnixSockets

/// Waits for descriptors, a deadline and, after `catchSignals`, signals.
///
/// Commands use it for every wait for input, the daemon or a child process.
///
/// Caught signals are blocked and read from a signalfd(2), so that ordinary code can handle them between
/// two steps; it cancels a sign-on or restores the terminal, for example. Before `catchSignals`, signals
/// have their default effect.
final class Waiter {
  /// Called before the program is suspended.
  ///
  /// Returns the action to run when the program continues.
  var onSuspend: (() -> () -> Void)?
  private var signals: Descriptor?

  private static let caught = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

  /// Makes the waits throw `interrupted` for a signal that ends the program.
  func catchSignals() {
    guard signals == nil else { return }
    var set = sigset_t()
    sigemptyset(&set)
    for signal in Self.caught where !Self.isIgnored(signal) { sigaddset(&set, signal) }
    let number = signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    // Without the descriptor, signals keep their default effect.
    guard number >= 0 else { return }
    signals = Descriptor(owning: number)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  enum Wake {
    case ready
    /// The other descriptor is readable.
    case beside
    case timedOut
  }

  /// Waits until the descriptor is ready.
  ///
  /// Returns `false` at the deadline.
  func wait(for descriptor: Int32, _ events: Int32, until deadline: Deadline) throws(Failure) -> Bool {
    if case .ready = try wait(for: descriptor, events, beside: -1, until: deadline) { true } else { false }
  }

  /// Waits until the descriptor is ready or another one is readable.
  func wait(
    for descriptor: Int32,
    _ events: Int32,
    beside other: Int32,
    until deadline: Deadline
  ) throws(Failure) -> Wake {
    while true {
      var requests = [
        pollfd(fd: descriptor, events: Int16(events), revents: 0),
        pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        pollfd(fd: signals?.number ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      let milliseconds = deadline.milliseconds
      let count = poll(&requests, 3, milliseconds)
      if count < 0, errno != EINTR { throw .local(.unreachable, "poll: \(String(cString: strerror(errno)))") }
      if count > 0, requests[2].revents != 0, let number = received() { try handle(number) }
      if count > 0, requests[0].revents != 0 { return .ready }
      if count > 0, requests[1].revents != 0 { return .beside }
      if count == 0, milliseconds == 0 || deadline.hasPassed { return .timedOut }
    }
  }

  func pause(until deadline: Deadline) throws(Failure) { _ = try wait(for: -1, 0, until: deadline) }

  private func received() -> Int32? {
    guard let signals else { return nil }
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard read(signals.number, &information, size) == size else { return nil }
    return Int32(bitPattern: information.ssi_signo)
  }

  private func handle(_ number: Int32) throws(Failure) {
    guard number == SIGTSTP else { throw .interrupted(signal: number) }
    let resume = onSuspend?()
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(SIGTSTP)
    // The program continues here after SIGCONT.
    pthread_sigmask(SIG_BLOCK, &set, nil)
    resume?()
  }

  /// True if the parent made the program ignore the signal, as nohup(1) does.
  ///
  /// Such a signal stays ignored.
  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0 else { return false }
    // Safety: both are addresses of functions, and only their numbers are compared.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
