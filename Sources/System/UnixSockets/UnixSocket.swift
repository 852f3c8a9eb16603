public import CLinux
import Glibc
public import SystemCalls

/// Unix stream sockets with a path.
public enum UnixSocket {
  /// Maximum length of a socket path in bytes.
  public static let maximumPathLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Connects to a path.
  ///
  /// `limit`: maximum time to wait for space in the backlog. The descriptor is blocking.
  public static func connect(
    to path: String,
    within limit: Duration? = nil
  ) throws(SystemError) -> Descriptor {
    let descriptor = try make()
    if let limit {
      // For a Unix socket, the send timeout also limits the time for which connect(2) waits for space in the
      // backlog.
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

  /// Connects to a path without waiting, so that a blocked server does not block its client.
  public static func connectWithoutWaiting(to path: String) throws(SystemError) -> Descriptor {
    let descriptor = try make()
    try descriptor.setNonBlocking()
    try withAddress(of: path) { (address, length) throws(SystemError) in
      guard Glibc.connect(descriptor.number, address, length) == 0 else { throw SystemError("connect") }
    }
    return descriptor
  }

  /// Listens on a path with these permissions.
  ///
  /// Replaces an existing socket file.
  ///
  /// The socket is created under a temporary name and renamed after its permissions are set, so that no other
  /// user can connect earlier.
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

  /// Accepts the next pending connection, non-blocking; `nil` if none is pending.
  public static func accept(from listener: Descriptor) throws(SystemError) -> Descriptor? {
    let number = clinux_accept(listener.number)
    if number >= 0 { return Descriptor(owning: number) }
    switch errno {
    case EAGAIN, EINTR, ECONNABORTED: return nil
    default: throw SystemError("accept4")
    }
  }

  /// Returns two connected sockets, closed on exec.
  public static func pair() throws(SystemError) -> (Descriptor, Descriptor) {
    var ends: [Int32] = [0, 0]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw SystemError("socketpair") }
    return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
  }

  /// Returns the peer, as the kernel recorded it at connect time.
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

/// The peer process of a Unix socket at connect time.
public struct Peer: Sendable, Equatable {
  /// The process id; it may belong to another process by now, so it is for messages only.
  public let process: Int32
  public let user: UInt32
  public let group: UInt32
}
