internal import Configuration
import Glibc
internal import Journal
internal import SystemCalls
internal import UnixSockets

/// The path and the permissions of the control socket.
struct ControlSocket {
  let path: String
  let mode: mode_t
  let group: gid_t?

  /// The reason for a missing path, with the remedy.
  static let missingDirectory =
    "there is no XDG_RUNTIME_DIR for the socket; use --socket PATH, or sign in by a login"

  private static let systemPath = "/run/mfad/mfad.sock"

  /// Takes the path from the flag, the environment or the configuration, else the default for root or the
  /// user; `nil` if the user has no runtime directory.
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

  /// The error if another process serves on the socket, since replacing the socket would cut off its clients.
  struct InUse: Error, CustomStringConvertible {
    let process: Int32?

    var description: String { "the socket is in use" + (process.map { " by process \($0)" } ?? "") }
  }

  /// Creates the socket.
  ///
  /// Creates missing directories. If the socket has a group, other users can traverse the directory.
  func listen() throws -> Descriptor {
    try refuseInUse()
    let directory = containingDirectory(of: path)
    // The umask applies to mkdir(2), but not to chmod(2).
    if try makeDirectory(directory), chmod(directory, group == nil ? 0o700 : 0o755) != 0 {
      throw SystemError("chmod", at: directory)
    }
    return try UnixSocket.listen(at: path, mode: mode, group: group)
  }

  /// Throws `InUse` if a process accepts connections on the socket.
  ///
  /// The socket of a dead daemon is replaced.
  private func refuseInUse() throws {
    let connection: Descriptor
    do { connection = try UnixSocket.connectWithoutWaiting(to: path) } catch {
      // A process listens on the socket, but its backlog is full.
      if error.code == EAGAIN { throw InUse(process: nil) }
      return
    }
    throw InUse(process: try UnixSocket.peer(of: connection).process)
  }

  /// Warns if the permissions of the service manager's socket differ from the configured ones.
  ///
  /// The socket keeps its permissions.
  func compareWithInherited() {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
    if status.st_mode & 0o007 != 0 || status.st_mode & 0o777 != mode {
      Journal.warning("the service manager's socket has other permissions than configured")
    }
  }
}
