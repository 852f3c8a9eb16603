import Glibc
internal import EventLoop
internal import UnixSockets

/// The agreement with systemd: sd_notify(3) and sd_listen_fds(3), which need no library.
enum ServiceManager {
  /// Tells the service manager something; without one nothing happens.
  static func notify(_ message: String) {
    guard let path = Environment.value("NOTIFY_SOCKET"), path.hasPrefix("/") || path.hasPrefix("@") else {
      return
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    // A name that begins with @ lies in the abstract namespace, which begins with a zero byte.
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { return }
    defer { close(number) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = sendto(number, message, message.utf8.count, Int32(MSG_NOSIGNAL), address, length)
      }
    }
  }

  /// Tells the service manager that the configuration is read again, with the time that it asks for.
  static func notifyReloading() {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    notify("RELOADING=1\nMONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1000)")
  }

  /// Why an inherited socket cannot be served on.
  struct ActivationError: Error, CustomStringConvertible {
    let description: String
  }

  private static let firstDescriptor: Int32 = 3

  /// The listening socket that the service manager handed over; `nil` without one.
  static func inheritedListener() throws(ActivationError) -> Descriptor? {
    guard let process = Environment.value("LISTEN_PID"), let count = Environment.value("LISTEN_FDS") else {
      return nil
    }
    defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) } }
    guard Int32(process) == getpid() else { return nil }
    guard count == "1" else {
      throw ActivationError(description: "expected exactly one socket from the service manager, got \(count)")
    }
    guard option(SO_DOMAIN) == AF_UNIX, option(SO_TYPE) == Int32(SOCK_STREAM.rawValue),
      option(SO_ACCEPTCONN) == 1
    else { throw ActivationError(description: "the inherited descriptor is no listening Unix stream socket") }
    let listener = Descriptor(owning: firstDescriptor)
    guard fcntl(firstDescriptor, F_SETFD, FD_CLOEXEC) == 0, (try? listener.setNonBlocking()) != nil else {
      throw ActivationError(description: "the inherited descriptor cannot be used")
    }
    return listener
  }

  private static func option(_ name: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(firstDescriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
  }
}
