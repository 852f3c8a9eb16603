public import Configuration
public import Glibc
public import Machine
internal import SystemCalls
public import UnixSockets

/// Which socket is used.
public struct SocketChoice: Sendable {
  /// The paths in the order in which they are tried.
  public let paths: [String]
  private let trust: SocketTrust

  /// That of the machine's daemon, unless another was named.
  public var systemPath: String? { paths.count > 1 ? paths[0] : nil }

  /// The choice by the flag, then by the environment, then the usual places.
  public init(
    flag: String?,
    environment: (String) -> String? = ProcessEnvironment.value,
    trust: SocketTrust = SocketTrust()
  ) {
    self.trust = trust
    if let path = flag ?? environment("MFAD_SOCKET") {
      paths = [path]
    } else {
      let runtime = environment("XDG_RUNTIME_DIR") ?? "/run/user/\(trust.caller)"
      paths = [trust.systemDirectory + "/mfad.sock", runtime + "/mfad/mfad.sock"]
    }
  }

  /// Connects to the first of the paths that can be connected, and makes sure that the daemon is there.
  public func connect(within limit: Duration) throws(Failure) -> Descriptor {
    try connection(within: limit).descriptor
  }

  /// The same, with the path at which it was.
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
    throw Self.failure(failures)
  }

  /// What was looked at is what is connected: the path without symbolic links.
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

  private static func failure(_ failures: [(path: String, code: Int32)]) -> Failure {
    if let denied = failures.first(where: { $0.code == EACCES || $0.code == EPERM }) {
      return .local(
        .permissionDenied,
        "no permission to connect to \(denied.path)",
        hint: "members of the group mfad-users may: \"sudo usermod -aG mfad-users $USER\", then sign in again"
      )
    }
    let starting: SafeText =
      "\"sudo systemctl start mfad.socket\" or \"systemctl --user start mfad.socket\""
    let places = failures.map { "\($0.path) (\(String(cString: strerror($0.code))))" as SafeText }
    return .local(
      .unreachable,
      "cannot reach the daemon at \(places.joined(separator: " or "))",
      hint: failures.count == 1
        ? "only the place that --socket or MFAD_SOCKET names was tried; \(starting) starts a daemon at a usual one"
        : "start it with \(starting)"
    )
  }
}

/// Makes sure that the program behind a socket is the daemon, before a password or a key is sent to it.
///
/// Two questions: who listens, by the kernel's word, and whether anybody else could have put the socket there.
public struct SocketTrust: Sendable {
  /// Where root keeps the system socket.
  public let systemDirectory: String
  /// Who runs this program.
  public let caller: uid_t
  /// Who root and all others seem to be in a user namespace of the caller's own; `nil` outside of one.
  private let outsider: uid_t?

  /// The rules for a caller.
  public init(
    systemDirectory: String = "/run/mfad",
    caller: uid_t = geteuid(),
    outsider: uid_t? = UserNamespace.outsider
  ) {
    self.systemDirectory = systemDirectory
    self.caller = caller
    self.outsider = outsider
  }

  /// Refuses a connection whose other end may not be the daemon; the path has no symbolic links.
  public func check(_ descriptor: Descriptor, at path: String) throws(Failure) {
    let peer: Peer
    do { peer = try UnixSocket.peer(of: descriptor) } catch {
      throw .local(.notTheDaemon, "cannot tell who listens at \(path)")
    }
    try check(peer: peer.user, at: path)
    try checkDirectories(of: path)
  }

  /// Refuses a listener that is neither root nor the service's user nor, outside the system directory, the caller.
  public func check(peer: uid_t, at path: String) throws(Failure) {
    var allowed: Set<uid_t> = [0]
    if let serviceUser { allowed.insert(serviceUser) }
    // Nobody else can listen where only root can have made the directory.
    if let outsider, path.hasPrefix(systemDirectory + "/") { allowed.insert(outsider) }
    if !path.hasPrefix(systemDirectory + "/") { allowed.formUnion(own) }
    guard allowed.contains(peer) else {
      throw .local(
        .notTheDaemon,
        "the program at \(path) is not the daemon: it runs as user \(peer)",
        hint: "nothing was sent to it; \"ss -xlp\" says who listens"
      )
    }
  }

  /// Refuses a socket that somebody else could have put there or could replace; the path begins at the root.
  ///
  /// In the directory of the socket nobody else may write at all. Further up a sticky directory is harmless: what
  /// is below it can be renamed only by its owner, who is one of those that may write.
  public func checkDirectories(of path: String) throws(Failure) {
    let allowed = own.union([0]).union(serviceUser.map { [$0] } ?? [])
    var directory = containingDirectory(of: path)
    var holdsSocket = true
    while true {
      var status = stat()
      guard lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        throw unsafe(directory, "cannot be looked at")
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

  /// Whether a directory whose owner cannot be told is one that only root makes: those above the usual sockets, and the
  /// system service's own.
  ///
  /// In none of them may others make anything, not even what would be theirs.
  private func isRoots(_ directory: String, _ status: stat) -> Bool {
    guard let outsider, status.st_uid == outsider, status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
      return false
    }
    let places = [systemDirectory, "/run/user"]
    return places.contains { $0 == directory || $0.hasPrefix(directory == "/" ? "/" : directory + "/") }
  }

  /// The caller, unless others cannot be told from it.
  private var own: Set<uid_t> { caller == outsider ? [] : [caller] }

  /// The user that the system service runs as: the owner of a directory that only root can have made.
  private var serviceUser: uid_t? {
    var outer = stat()
    var inner = stat()
    guard lstat(systemDirectory, &outer) == 0, outer.st_mode & S_IFMT == S_IFDIR, outer.st_uid == 0,
      outer.st_mode & (S_IWGRP | S_IWOTH) == 0,
      lstat(systemDirectory + "/owner", &inner) == 0, inner.st_mode & S_IFMT == S_IFDIR,
      inner.st_uid != outsider
    else { return nil }
    return inner.st_uid
  }

  private func unsafe(_ directory: String, _ what: SafeText) -> Failure {
    .local(
      .notTheDaemon,
      "the program behind the socket may not be the daemon: \(directory) \(what)",
      hint: "nothing was sent to it; let nobody else write there"
    )
  }
}
