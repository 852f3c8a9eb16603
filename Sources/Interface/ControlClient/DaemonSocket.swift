public import Configuration
public import Glibc
public import Machine
internal import SystemCalls
public import UnixSockets

/// The sockets to try, with the rules that verify the daemon behind them.
public struct SocketChoice: Sendable {
  /// The paths in the order in which they are tried.
  public let paths: [String]
  private let trust: SocketTrust
  /// The value of `XDG_RUNTIME_DIR`, if it determines a path.
  private var runtimeDirectory: String?

  /// The path of the system daemon's socket; `nil` if a path was given.
  public var systemPath: String? { paths.count > 1 ? paths[0] : nil }

  /// Takes the path of the flag, else of `MFAD_SOCKET`, else the two default paths.
  public init(
    flag: String?,
    environment: (String) -> String? = ProcessEnvironment.value,
    trust: SocketTrust = SocketTrust()
  ) {
    self.trust = trust
    if let path = flag ?? environment("MFAD_SOCKET") {
      paths = [path]
    } else {
      runtimeDirectory = environment("XDG_RUNTIME_DIR")
      let runtime = runtimeDirectory ?? "/run/user/\(trust.caller)"
      paths = [trust.systemDirectory + "/mfad.sock", runtime + "/mfad/mfad.sock"]
    }
  }

  /// Connects to the first reachable path and verifies that the daemon listens there.
  public func connect(within limit: Duration) throws(Failure) -> Descriptor {
    try connection(within: limit).descriptor
  }

  /// Connects like `connect(within:)` and also returns the path.
  public func connection(
    within limit: Duration
  ) throws(Failure) -> (descriptor: Descriptor, path: String) {
    var failures: [(path: String, code: Int32)] = []
    for path in paths {
      let code: Int32
      switch Self.connect(path, within: limit) {
      case .success(let (descriptor, resolved)):
        try trust.check(descriptor, at: resolved)
        return (descriptor, path)
      case .failure(let error): code = error.code
      }
      failures.append((path, code))
    }
    throw failure(failures)
  }

  /// Resolves symbolic links and connects, so that the checks apply to the path of this connection.
  private static func connect(
    _ path: String,
    within limit: Duration
  ) -> Result<(Descriptor, String), SystemError> {
    Result { () throws(SystemError) in
      guard let buffer = realpath(path, nil) else { throw SystemError("realpath") }
      defer { free(buffer) }
      let resolved = String(cString: buffer)
      return (try UnixSocket.connect(to: resolved, within: limit), resolved)
    }
  }

  private func failure(_ failures: [(path: String, code: Int32)]) -> Failure {
    if let denied = failures.first(where: { $0.code == EACCES || $0.code == EPERM }) {
      if let foreign = foreignDirectory(of: denied.path) { return foreign }
      return .local(
        .permissionDenied,
        "no permission to connect to \(denied.path)",
        hint: "join the group mfad-users: \"sudo usermod -aG mfad-users $USER\", then sign in again"
      )
    }
    let starting: SafeText =
      "\"sudo systemctl start mfad.socket\" or \"systemctl --user start mfad.socket\""
    let places = failures.map { "\($0.path) (\(String(cString: strerror($0.code))))" as SafeText }
    return .local(
      .unreachable,
      "cannot reach the daemon at \(places.joined(separator: " or "))",
      hint: failures.count == 1
        ? "only the path of --socket or MFAD_SOCKET was tried; \(starting) starts a daemon at a default path"
        : "start it with \(starting)"
    )
  }
}

extension SocketChoice {
  /// Returns the failure of a path below a runtime directory of another user, as su(1) leaves it; else `nil`.
  private func foreignDirectory(of path: String) -> Failure? {
    var status = stat()
    guard let runtimeDirectory, path.hasPrefix(runtimeDirectory + "/"), lstat(runtimeDirectory, &status) == 0,
      status.st_uid != trust.caller
    else { return nil }
    return .local(
      .permissionDenied,
      "XDG_RUNTIME_DIR is \(runtimeDirectory), which belongs to user \(status.st_uid), not to user \(trust.caller)",
      hint: "\"unset XDG_RUNTIME_DIR\", or sign in as this user with \"su - USER\""
    )
  }
}

/// Verifies that the program behind a socket is the daemon, before a password or a key is sent to it.
///
/// It checks the listener's uid (SO_PEERCRED), and whether another user could have placed the socket.
public struct SocketTrust: Sendable {
  /// The directory of the system socket, which only root can create.
  public let systemDirectory: String
  /// The uid that runs this program.
  public let caller: uid_t
  /// The uid that this user namespace shows for unmapped users, such as root; `nil` in the initial namespace.
  private let overflowUserID: uid_t?

  /// Creates the rules for a caller.
  public init(
    systemDirectory: String = "/run/mfad",
    caller: uid_t = geteuid(),
    overflowUserID: uid_t? = UserNamespace.overflowUserID
  ) {
    self.systemDirectory = systemDirectory
    self.caller = caller
    self.overflowUserID = overflowUserID
  }

  /// Throws unless the peer of a connection is the daemon; the path must not have symbolic links.
  public func check(_ descriptor: Descriptor, at path: String) throws(Failure) {
    let peer: Peer
    do { peer = try UnixSocket.peer(of: descriptor) } catch {
      throw .local(.notTheDaemon, "cannot identify the program that listens at \(path)")
    }
    try check(peer: peer.user, at: path)
    try checkDirectories(of: path)
  }

  /// Throws unless the listener is root, the service's user or, outside the system directory, the caller.
  public func check(peer: uid_t, at path: String) throws(Failure) {
    var allowed: Set<uid_t> = [0]
    if let serviceUser { allowed.insert(serviceUser) }
    // In the system directory, which only root can create, a listener with the overflow uid is trusted.
    if let overflowUserID, path.hasPrefix(systemDirectory + "/") { allowed.insert(overflowUserID) }
    if !path.hasPrefix(systemDirectory + "/") { allowed.formUnion(own) }
    guard allowed.contains(peer) else {
      throw .local(
        .notTheDaemon,
        "the program at \(path) is not the daemon: it runs as user \(peer)",
        hint: "nothing was sent to it; \"ss -xlp\" shows the listening program"
      )
    }
  }

  /// Throws if another user could have placed the socket or could replace it; the path is absolute.
  ///
  /// No other user may write to the directory of the socket. A directory above it may be shared if it is
  /// sticky: then only the owner of the directory or of the entry can rename the entry, and both are checked.
  public func checkDirectories(of path: String) throws(Failure) {
    let allowed = own.union([0]).union(serviceUser.map { [$0] } ?? [])
    var directory = containingDirectory(of: path)
    var holdsSocket = true
    while true {
      var status = stat()
      guard lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        throw unsafe(directory, "cannot be examined")
      }
      guard allowed.contains(status.st_uid) || isRoots(directory, status) else {
        throw unsafe(directory, "belongs to user \(status.st_uid)")
      }
      let isShared = status.st_mode & (S_IWGRP | S_IWOTH) != 0
      let isSticky = status.st_mode & S_ISVTX != 0
      guard !isShared || (isSticky && !holdsSocket) else {
        throw unsafe(directory, "can be written by others")
      }
      let parent = containingDirectory(of: directory)
      guard parent != directory else { return }
      directory = parent
      holdsSocket = false
    }
  }

  /// True if a directory that shows the overflow uid as its owner must belong to root.
  ///
  /// This applies to the system directory, `/run/user` and the directories above them, if no group or other
  /// user may write to them.
  private func isRoots(_ directory: String, _ status: stat) -> Bool {
    guard let overflowUserID, status.st_uid == overflowUserID, status.st_mode & (S_IWGRP | S_IWOTH) == 0
    else {
      return false
    }
    let places = [systemDirectory, "/run/user"]
    return places.contains { $0 == directory || $0.hasPrefix(directory == "/" ? "/" : directory + "/") }
  }

  /// The caller's uid; empty if other users have the same uid in this namespace.
  private var own: Set<uid_t> { caller == overflowUserID ? [] : [caller] }

  /// The uid of the system service: it owns the entry `owner` of the system directory, which root creates.
  private var serviceUser: uid_t? {
    var outer = stat()
    var inner = stat()
    guard lstat(systemDirectory, &outer) == 0, outer.st_mode & S_IFMT == S_IFDIR, outer.st_uid == 0,
      outer.st_mode & (S_IWGRP | S_IWOTH) == 0,
      lstat(systemDirectory + "/owner", &inner) == 0, inner.st_mode & S_IFMT == S_IFDIR,
      inner.st_uid != overflowUserID
    else { return nil }
    return inner.st_uid
  }

  private func unsafe(_ directory: String, _ problem: SafeText) -> Failure {
    .local(
      .notTheDaemon,
      "the program behind the socket may not be the daemon: \(directory) \(problem)",
      hint: "nothing was sent to it; do not let other users write there"
    )
  }
}
