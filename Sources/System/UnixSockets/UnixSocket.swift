public import CLinux
import Glibc
public import SystemCalls

/// Stream sockets in the file system.
public enum UnixSocket {
  /// The longest path that fits into a socket's address, in bytes.
  public static let maximumPathLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Connects to a path, waiting until the other side has room, at most so long; the descriptor blocks.
  public static func connect(
    to path: String,
    within limit: Duration? = nil
  ) throws(SystemError) -> Descriptor {
    let descriptor = try make()
    if let limit {
      // For a Unix socket the send timeout is also how long connect(2) waits for room in the backlog.
      let (seconds, attoseconds) = limit.components
      var time = timeval(tv_sec: Int(seconds), tv_usec: max(1, Int(attoseconds / 1_000_000_000_000)))
      let size = socklen_t(MemoryLayout<timeval>.size)
      guard setsockopt(descriptor.number, SOL_SOCKET, SO_SNDTIMEO, &time, size) == 0 else {
        throw SystemError("setsockopt")
      }
    }
    try withAddress(of: path) { (address, length) throws(SystemError) in
      guard Glibc.connect(descriptor.number, address, length) == 0 else { throw SystemError("connect") }
    }
    return descriptor
  }

  /// Connects to a path at once or not at all, so that a server that hangs does not make its client hang.
  public static func connectWithoutWaiting(to path: String) throws(SystemError) -> Descriptor {
    let descriptor = try make()
    try descriptor.setNonBlocking()
    try withAddress(of: path) { (address, length) throws(SystemError) in
      guard Glibc.connect(descriptor.number, address, length) == 0 else { throw SystemError("connect") }
    }
    return descriptor
  }

  /// Listens on a path with these permissions, replacing a socket that nobody listens on any more.
  ///
  /// The socket is made under a name of its own with its permissions and then moved to its path, so that there
  /// is no moment in which anybody else could connect.
  public static func listen(
    at path: String,
    mode: mode_t,
    group: gid_t? = nil,
    backlog: Int32 = 64
  ) throws(SystemError) -> Descriptor {
    let descriptor = try make()
    try descriptor.setNonBlocking()
    let temporary = path + ".new"
    unlink(temporary)
    let mask = umask(0o177)
    defer { umask(mask) }
    try withAddress(of: temporary) { (address, length) throws(SystemError) in
      guard bind(descriptor.number, address, length) == 0 else { throw SystemError("bind") }
    }
    if let group, chown(temporary, uid_t.max, group) != 0 { throw SystemError("chown") }
    guard chmod(temporary, mode) == 0 else { throw SystemError("chmod") }
    guard Glibc.listen(descriptor.number, backlog) == 0 else { throw SystemError("listen") }
    guard rename(temporary, path) == 0 else { throw SystemError("rename") }
    return descriptor
  }

  /// The next connection that waits on a listener, non-blocking; `nil` if none waits.
  public static func accept(from listener: Descriptor) throws(SystemError) -> Descriptor? {
    let number = clinux_accept(listener.number)
    if number >= 0 { return Descriptor(owning: number) }
    switch errno {
    case EAGAIN, EINTR, ECONNABORTED: return nil
    default: throw SystemError("accept4")
    }
  }

  /// Two sockets that are connected with each other, closed on exec.
  public static func pair() throws(SystemError) -> (Descriptor, Descriptor) {
    var ends: [Int32] = [0, 0]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError("socketpair") }
    return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
  }

  /// Who is at the other end, by the kernel's word at the time of the connection.
  public static func peer(of descriptor: Descriptor) throws(SystemError) -> Peer {
    var peer = clinux_peer()
    guard clinux_peer_credentials(descriptor.number, &peer) == 0 else { throw SystemError("getsockopt") }
    return Peer(process: peer.process, user: peer.user, group: peer.group)
  }

  private static func make() throws(SystemError) -> Descriptor {
    let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { throw SystemError("socket") }
    return Descriptor(owning: number)
  }

  private static func withAddress(
    of path: String,
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws(SystemError) -> Void
  ) throws(SystemError) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count <= maximumPathLength, !bytes.contains(0) else {
      throw SystemError("bind", code: ENAMETOOLONG)
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let outcome = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        Result { () throws(SystemError) in try body(address, socklen_t(MemoryLayout<sockaddr_un>.size)) }
      }
    }
    try outcome.get()
  }
}

/// The process at the other end of a Unix socket when it was connected.
public struct Peer: Sendable, Equatable {
  /// Its process id, which may since belong to another process: for messages only.
  public let process: Int32
  public let user: UInt32
  public let group: UInt32
}
