internal import Configuration
import Glibc

/// What the service manager is told, sd_notify(3), which needs no library.
enum ServiceManager {
  /// Tells the service manager something; without one nothing happens.
  static func notify(_ message: String) {
    guard let path = ProcessEnvironment.value("NOTIFY_SOCKET"), path.hasPrefix("/") || path.hasPrefix("@")
    else {
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
}
