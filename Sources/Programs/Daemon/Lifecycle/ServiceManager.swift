internal import Configuration
import Glibc

/// Sends notifications to the service manager, sd_notify(3), without a library.
enum ServiceManager {
  /// Sends a notification; does nothing without a service manager.
  static func notify(_ message: String) {
    guard let path = ProcessEnvironment.value("NOTIFY_SOCKET"), path.hasPrefix("/") || path.hasPrefix("@")
    else {
      return
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    // A leading @ denotes the abstract namespace, in which names begin with a zero byte.
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

  /// Reports that the configuration is being reread, with the time that the protocol requires.
  static func notifyReloading() {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    notify("RELOADING=1\nMONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1000)")
  }
}
