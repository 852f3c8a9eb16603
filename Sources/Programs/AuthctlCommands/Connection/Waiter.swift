internal import CLinux
internal import ControlClient
internal import Glibc
internal import UnixSockets

/// The one place where the program waits: for a descriptor, a deadline and, when they are caught, signals.
///
/// Caught signals are blocked and read from a descriptor, so that they are handled between two steps and never in
/// the middle of one: a login is cancelled and a terminal is restored by ordinary code. Until `catchSignals`
/// is called signals have their usual effect.
final class Waiter {
  /// Is called before the program is suspended; returns what is to be done when it goes on.
  var onSuspend: (() -> () -> Void)?
  private var signals: Descriptor?

  private static let caught = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

  /// From now on a signal that ends the program is thrown out of the wait.
  func catchSignals() {
    guard signals == nil else { return }
    var set = sigset_t()
    sigemptyset(&set)
    for signal in Self.caught where !Self.isIgnored(signal) { sigaddset(&set, signal) }
    let number = signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    // Without the descriptor signals keep their usual effect, which is all that can be done then.
    guard number >= 0 else { return }
    signals = Descriptor(owning: number)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  enum Wake {
    case ready
    /// Something can be read from the other descriptor.
    case beside
    case timedOut
  }

  /// Waits until the descriptor is ready; `false` if the deadline came first.
  func wait(for descriptor: Int32, _ events: Int32, until deadline: Deadline) throws(Failure) -> Bool {
    if case .ready = try wait(for: descriptor, events, beside: -1, until: deadline) { true } else { false }
  }

  /// Waits until the descriptor is ready or something can be read from another one.
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
    // Here the program goes on, after SIGCONT.
    pthread_sigmask(SIG_BLOCK, &set, nil)
    resume?()
  }

  /// A signal that the parent ignores, as nohup(1) does, stays ignored.
  private static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0 else { return false }
    // Safety: both are addresses of functions, and only their numbers are compared.
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
