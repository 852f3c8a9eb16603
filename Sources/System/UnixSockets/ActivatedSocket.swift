import Glibc

/// The socket that a service manager passes to this process, sd_listen_fds(3).
public enum ActivatedSocket {
  /// An unusable passed socket.
  public struct Mismatch: Error, CustomStringConvertible {
    /// The reason.
    public let description: String
  }

  private static let firstNumber: Int32 = 3

  /// True if the environment passes sockets to this process.
  public static var isHandedOver: Bool {
    getenv("LISTEN_PID").flatMap { pid_t(String(cString: $0)) } == getpid()
  }

  /// Returns the only passed listening stream socket; `nil` if the environment passes none to this process.
  public static func take() throws(Mismatch) -> Descriptor? {
    guard isHandedOver else { return nil }
    let count = getenv("LISTEN_FDS").flatMap { Int(String(cString: $0)) }
    guard count == 1 else { throw Mismatch(description: "LISTEN_FDS must be 1") }
    guard isStreamSocket(firstNumber), option(SO_ACCEPTCONN, of: firstNumber) == 1 else {
      throw Mismatch(description: "descriptor 3 is not a listening Unix stream socket")
    }
    _ = fcntl(firstNumber, F_SETFD, FD_CLOEXEC)
    let descriptor = Descriptor(owning: firstNumber)
    do { try descriptor.setNonBlocking() } catch { throw Mismatch(description: "\(error)") }
    return descriptor
  }

  /// True if the descriptor is a Unix stream socket.
  public static func isStreamSocket(_ number: Int32) -> Bool {
    option(SO_DOMAIN, of: number) == AF_UNIX && option(SO_TYPE, of: number) == Int32(SOCK_STREAM.rawValue)
  }

  private static func option(_ name: Int32, of number: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(number, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }
}
