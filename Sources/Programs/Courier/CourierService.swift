internal import CLinux
internal import Configuration
internal import Confinement
internal import EventLoop
import Glibc
internal import Journal
internal import Synchronization
internal import UnixSockets

/// Runs the courier in its process: socket, signals, exit.
@EventLoop
final class CourierService {
  private let options: CourierOptions
  private let configuration: Configuration
  /// The error in the configuration; `nil` if it is valid.
  private var problem: ConfigurationError?
  private let activated: Descriptor?
  private nonisolated let failure = Atomic(false)
  private var courier: Courier?
  private var signals: Signals?
  private var ownPath: String?

  private static let idleTime: Duration = .seconds(60)
  private static let serviceUser = "mfad"
  /// Interval of rereading an invalid configuration.
  ///
  /// The interval is shorter than the time that a daemon needs to start after a fix.
  private static let lookInterval: Duration = .milliseconds(250)

  private struct NotASocket: Error, CustomStringConvertible {
    let description = "the descriptor of --child is not a Unix stream socket"
  }

  nonisolated init(_ options: CourierOptions, _ configuration: Configuration, activated: Descriptor?) {
    self.options = options
    self.configuration = configuration
    self.activated = activated
  }

  /// A courier without a valid configuration.
  ///
  /// It refuses everything, and exits when the file is fixed.
  nonisolated init(_ options: CourierOptions, without problem: ConfigurationError, activated: Descriptor) {
    self.options = options
    (configuration, self.problem) = (Configuration(), problem)
    self.activated = activated
  }

  /// True if the service ended because of a failure.
  nonisolated var hasFailed: Bool { failure.load(ordering: .relaxed) }

  /// Starts to serve.
  ///
  /// Stops the loop when there is nothing left to serve.
  func start() {
    Journal.level = configuration.logLevel
    do {
      signals = try Signals([SIGTERM, SIGINT, SIGHUP]) { [weak self] signal in self?.take(signal) }
      switch options.mode {
      case .socket(let path): try serveSocket(path ?? configuration.courierSocket)
      case .child(let number): try serveParent(number)
      }
      confine()
    } catch {
      Journal.error("cannot start", ["error": "\(error)"])
      failure.store(true, ordering: .relaxed)
      EventLoop.stop()
    }
  }

  /// Applies the confinement before any input of peers is read.
  private func confine() {
    let outcome = Confinement.courier(configuration, file: options.configurationFile, ownSocket: ownPath)
      .enforce()
    Journal.debug("confined", ["by": outcome.inForce.joined(separator: ",")])
    for part in outcome.missing {
      Journal.warning("the kernel does not support a kind of confinement", ["kind": part])
    }
  }

  private func serveSocket(_ path: String) throws {
    var users: Set<uid_t> = [geteuid()]
    // Under systemd the daemon has its own user, and the socket's permissions admit only that user.
    if activated != nil, let entry = getpwnam(Self.serviceUser) { users.insert(entry.pointee.pw_uid) }
    let courier = Courier(configuration, permittedUsers: users, idleTime: Self.idleTime)
    courier.onIdle = { [weak self] in self?.end() }
    courier.isConfigured = problem == nil
    if activated == nil { ownPath = path }
    try courier.listen(on: try activated ?? UnixSocket.listen(at: path, mode: 0o600))
    self.courier = courier
    if problem != nil { scheduleReload() }
  }

  private func serveParent(_ number: Int32) throws {
    guard ActivatedSocket.isStreamSocket(number) else { throw NotASocket() }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    // The end of the stream also ends the courier. The signal ends a courier that is too busy to read.
    _ = clinux_signal_on_parent_death(SIGTERM)
    let courier = Courier(configuration, permittedUsers: [geteuid()], idleTime: nil)
    courier.onPeerGone = { [weak self] in self?.end() }
    try courier.serve(Descriptor(owning: number))
    self.courier = courier
  }

  private func take(_ signal: Int32) {
    signal == SIGHUP ? reload() : end()
  }

  /// Polls the configuration file, since nothing notifies the courier of a fix.
  private func scheduleReload() {
    EventLoop.after(Self.lookInterval) { [weak self] in
      self?.reload()
      self?.scheduleReload()
    }
  }

  private func reload() {
    do throws(ConfigurationError) {
      let configuration = try options.loadConfiguration()
      // Do not use the file yet, since it may be half-written. A new courier reads it at the next request.
      if let problem { return beginAnew(problem.file) }
      if let file = configuration.certificateAuthorityFile, isBlockedByConfinement(file) {
        return beginAnew(file)
      }
      courier?.configure(configuration)
      Journal.info("configuration read again")
    } catch {
      if isBlockedByConfinement(error.file) { return beginAnew(error.file) }
      guard let known = problem else {
        return Journal.error("configuration kept as it was", ["error": error])
      }
      problem = error
      // Log an error only once, not at every attempt.
      if "\(known)" != "\(error)" { Journal.error("the configuration cannot be used", ["error": error]) }
    }
  }

  /// True if only the courier's own confinement blocks a file, because the file was replaced or is new.
  private func isBlockedByConfinement(_ file: String) -> Bool {
    guard access(file, R_OK) == 0 else { return false }
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor < 0 else {
      close(descriptor)
      return false
    }
    return errno == EACCES
  }

  /// Exits, since dropped permissions cannot be regained.
  ///
  /// A new courier starts on demand.
  private func beginAnew(_ file: String) {
    Journal.info("exiting, so that a new courier reads the changed file", ["file": file])
    end()
  }

  private func end() {
    if let ownPath { unlink(ownPath) }
    EventLoop.stop()
  }
}
