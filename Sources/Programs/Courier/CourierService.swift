internal import CLinux
internal import Configuration
internal import Confinement
internal import EventLoop
import Glibc
internal import Journal
internal import Synchronization
internal import UnixSockets

/// The courier in its surroundings: the socket, the signals, the end.
@EventLoop
final class CourierService {
  private let options: CourierOptions
  private let configuration: Configuration
  /// Why there is no configuration, while there is none.
  private var problem: ConfigurationError?
  private let activated: Descriptor?
  private nonisolated let failure = Atomic(false)
  private var courier: Courier?
  private var signals: Signals?
  private var ownPath: String?

  private static let idleTime: Duration = .seconds(60)
  private static let serviceUser = "mfad"
  /// How often a file is looked at that cannot be used: less than it takes to start the daemon of a mended one.
  private static let lookInterval: Duration = .milliseconds(250)

  private struct NotASocket: Error, CustomStringConvertible {
    let description = "the descriptor of --child is not a Unix stream socket"
  }

  nonisolated init(_ options: CourierOptions, _ configuration: Configuration, activated: Descriptor?) {
    self.options = options
    self.configuration = configuration
    self.activated = activated
  }

  /// A courier whose configuration cannot be used: it refuses everything, and ends when the file is mended.
  nonisolated init(_ options: CourierOptions, without problem: ConfigurationError, activated: Descriptor) {
    self.options = options
    (configuration, self.problem) = (Configuration(), problem)
    self.activated = activated
  }

  /// Whether the service ended because something failed.
  nonisolated var hasFailed: Bool { failure.load(ordering: .relaxed) }

  /// Begins to serve; the loop is stopped when there is nothing more to serve.
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

  /// Before a byte of anybody's is read.
  private func confine() {
    let outcome = Confinement.courier(configuration, file: options.configurationFile, ownSocket: ownPath)
      .enforce()
    Journal.debug("confined", ["by": outcome.inForce.joined(separator: ",")])
    for part in outcome.missing {
      Journal.warning("the kernel offers no confinement of a kind", ["kind": part])
    }
  }

  private func serveSocket(_ path: String) throws {
    var users: Set<uid_t> = [geteuid()]
    // Under systemd the daemon is a user of its own, and the socket's permissions let only it connect.
    if activated != nil, let entry = getpwnam(Self.serviceUser) { users.insert(entry.pointee.pw_uid) }
    let courier = Courier(configuration, permittedUsers: users, idleTime: Self.idleTime)
    courier.onIdle = { [weak self] in self?.end() }
    courier.isConfigured = problem == nil
    if activated == nil { ownPath = path }
    try courier.listen(on: try activated ?? UnixSocket.listen(at: path, mode: 0o600))
    self.courier = courier
    if problem != nil { lookAgain() }
  }

  private func serveParent(_ number: Int32) throws {
    guard ActivatedSocket.isStreamSocket(number) else { throw NotASocket() }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    // The end of the stream says the same; this also ends a courier that does not come round to reading it.
    _ = clinux_signal_on_parent_death(SIGTERM)
    let courier = Courier(configuration, permittedUsers: [geteuid()], idleTime: nil)
    courier.onPeerGone = { [weak self] in self?.end() }
    try courier.serve(Descriptor(owning: number))
    self.courier = courier
  }

  private func take(_ signal: Int32) {
    signal == SIGHUP ? reload() : end()
  }

  /// Nobody tells a courier that the file was mended that it could not use.
  private func lookAgain() {
    EventLoop.after(Self.lookInterval) { [weak self] in
      self?.reload()
      self?.lookAgain()
    }
  }

  private func reload() {
    do throws(ConfigurationError) {
      let configuration = try options.loadConfiguration()
      // What may be half written still is for the next courier to read, when something is to be carried.
      if let problem { return beginAnew(problem.file) }
      if let file = configuration.certificateAuthorityFile, isBeyondReach(file) { return beginAnew(file) }
      courier?.configure(configuration)
      Journal.info("configuration read again")
    } catch {
      if isBeyondReach(error.file) { return beginAnew(error.file) }
      guard let known = problem else {
        return Journal.error("configuration kept as it was", ["error": error])
      }
      problem = error
      // What was said once is not said with every look.
      if "\(known)" != "\(error)" { Journal.error("the configuration cannot be used", ["error": error]) }
    }
  }

  /// Whether only the own confinement keeps a file from being read: it took the place of another, or is a new one.
  private func isBeyondReach(_ file: String) -> Bool {
    guard access(file, R_OK) == 0 else { return false }
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor < 0 else {
      close(descriptor)
      return false
    }
    return errno == EACCES
  }

  /// Rights that are given up do not come back; whoever needs a courier starts the next one.
  private func beginAnew(_ file: String) {
    Journal.info("ending, for the next courier to read what is new", ["file": file])
    end()
  }

  private func end() {
    if let ownPath { unlink(ownPath) }
    EventLoop.stop()
  }
}
