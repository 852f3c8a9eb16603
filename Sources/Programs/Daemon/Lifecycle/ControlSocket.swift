internal import Configuration
import Glibc
internal import Journal
internal import SystemCalls
internal import UnixSockets

/// Where the daemon serves, and who may connect there.
struct ControlSocket {
  let path: String
  let mode: mode_t
  let group: gid_t?

  private static let systemPath = "/run/mfad/mfad.sock"

  /// The socket by flag, environment, configuration, then the default for the user; `nil` when there is none.
  init?(flag: String?, configuration: Configuration) {
    if let path = flag ?? ProcessEnvironment.value("MFAD_SOCKET") ?? configuration.socket {
      self.init(path: path, groupName: configuration.socketGroup)
    } else if geteuid() == 0 {
      self.init(path: Self.systemPath, groupName: configuration.socketGroup ?? "mfad-users")
    } else if let directory = ProcessEnvironment.value("XDG_RUNTIME_DIR") {
      self.init(path: directory + "/mfad/mfad.sock", groupName: configuration.socketGroup)
    } else {
      return nil
    }
  }

  private init(path: String, groupName: String?) {
    self.path = path
    let group = groupName.flatMap { name in getgrnam(name).map { $0.pointee.gr_gid } }
    if let groupName, group == nil {
      Journal.warning(
        "the group of the socket does not exist; only its owner may connect",
        ["group": groupName]
      )
    }
    (self.group, mode) = (group, group == nil ? 0o600 : 0o660)
  }

  /// Somebody serves there already, whom clients would lose.
  struct InUse: Error, CustomStringConvertible {
    let process: Int32?

    var description: String { "the socket is in use" + (process.map { " by process \($0)" } ?? "") }
  }

  /// Listens there; a missing directory is made for the owner, with its group let through.
  func listen() throws -> Descriptor {
    try refuseInUse()
    let directory = containingDirectory(of: path)
    if mkdir(directory, 0o700) != 0 {
      guard errno == EEXIST else { throw SystemError("mkdir") }
    } else if chmod(directory, group == nil ? 0o700 : 0o755) != 0 {
      // The process's mask takes from mkdir(2) what is needed to come through.
      throw SystemError("chmod")
    }
    return try UnixSocket.listen(at: path, mode: mode, group: group)
  }

  /// What a dead daemon left can be replaced; where a connection is taken up, somebody lives.
  private func refuseInUse() throws {
    let connection: Descriptor
    do { connection = try UnixSocket.connectWithoutWaiting(to: path) } catch {
      // One whose queue is full lives too.
      if error.code == EAGAIN { throw InUse(process: nil) }
      return
    }
    throw InUse(process: try UnixSocket.peer(of: connection).process)
  }

  /// With a socket of the service manager its settings count; what differs is said.
  func compareWithInherited() {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
    if status.st_mode & 0o007 != 0 || status.st_mode & 0o777 != mode {
      Journal.warning("the service manager's socket has other permissions than the configuration asks for")
    }
  }
}
