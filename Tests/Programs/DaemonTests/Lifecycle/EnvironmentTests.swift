import Configuration
import EventLoop
import Glibc
import TestLoop
import TestNetwork
import Testing
import UnixSockets

@testable import Daemon

/// Sets environment variables during a test.
///
/// `nil` removes a variable.
private func withEnvironment<R>(_ values: [String: String?], _ body: () throws -> R) rethrows -> R {
  let before = values.keys.map { ($0, getenv($0).map { String(cString: $0) }) }
  func set(_ name: String, _ value: String?) {
    if let value { setenv(name, value, 1) } else { unsetenv(name) }
  }
  for (name, value) in values { set(name, value) }
  defer { for (name, value) in before { set(name, value) } }
  return try body()
}

@Suite("environment of mfad", .serialized)
struct EnvironmentTests {
  private static func configuration(_ text: String = "") throws -> Configuration {
    try Configuration(parsing: text, file: "mfad.conf")
  }

  @Test("the socket is that of flag, environment, configuration or user, in this order")
  func socket() async throws {
    try await TestLoop.run {
      let (configured, empty) = (try Self.configuration("socket = /configured"), try Self.configuration())
      let runtime = "/run/user/1"
      withEnvironment(["MFAD_SOCKET": "/environment", "XDG_RUNTIME_DIR": runtime]) {
        #expect(ControlSocket(flag: "/flag", configuration: configured)?.path == "/flag")
        #expect(ControlSocket(flag: nil, configuration: configured)?.path == "/environment")
        withEnvironment(["MFAD_SOCKET": nil]) {
          #expect(ControlSocket(flag: nil, configuration: configured)?.path == "/configured")
          let own = geteuid() == 0 ? "/run/mfad/mfad.sock" : runtime + "/mfad/mfad.sock"
          #expect(ControlSocket(flag: nil, configuration: empty)?.path == own)
        }
        withEnvironment(["MFAD_SOCKET": ""]) {
          #expect(ControlSocket(flag: nil, configuration: configured)?.path == "/configured")
        }
      }
    }
  }

  @Test("only a configured group that exists may connect besides the owner")
  func group() async throws {
    try await TestLoop.run {
      let group = try #require(getgrgid(getegid()).map { String(cString: $0.pointee.gr_name) })
      for (text, mode) in [
        ("", 0o600), ("socket_group = no-such-group", 0o600), ("socket_group = \(group)", 0o660),
      ]
        as [(String, mode_t)]
      {
        let directory = try TestDirectory()
        let path = directory.path + "/made/mfad.sock"
        let socket = try #require(ControlSocket(flag: path, configuration: try Self.configuration(text)))
        #expect(socket.mode == mode && (socket.group != nil) == (mode == 0o660))
        let listener = try socket.listen()
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == mode, "\(text)")
        #expect(stat(directory.path + "/made", &status) == 0)
        #expect(status.st_mode & 0o777 == (mode == 0o660 ? 0o755 : 0o700))
        _ = try UnixSocket.connectWithoutWaiting(to: path)
        withExtendedLifetime(listener) {}
      }
    }
  }

  @Test("the state directory is that of flag, configuration, systemd or user, in this order")
  func state() async throws {
    try await TestLoop.run {
      withEnvironment([
        "STATE_DIRECTORY": "/systemd:/systemd-rollback", "XDG_STATE_HOME": "/xdg", "HOME": "/home/ann",
      ]) {
        #expect(ProcessEnvironment.stateDirectory(flag: "/flag", configured: "/configured") == "/flag")
        #expect(ProcessEnvironment.stateDirectory(flag: nil, configured: "/configured") == "/configured")
        #expect(ProcessEnvironment.stateDirectory(flag: nil, configured: nil) == "/systemd")
        withEnvironment(["STATE_DIRECTORY": nil]) {
          let own = geteuid() == 0 ? "/var/lib/mfad" : "/xdg/mfad"
          #expect(ProcessEnvironment.stateDirectory(flag: nil, configured: nil) == own)
        }
        #expect(ProcessEnvironment.directory("XDG_STATE_HOME", home: "/.local/state") == "/xdg")
        withEnvironment(["XDG_STATE_HOME": "relative"]) {
          #expect(
            ProcessEnvironment.directory("XDG_STATE_HOME", home: "/.local/state") == "/home/ann/.local/state"
          )
        }
        withEnvironment(["XDG_STATE_HOME": nil, "HOME": nil]) {
          #expect(ProcessEnvironment.directory("XDG_STATE_HOME", home: "/.local/state") == nil)
        }
      }
    }
  }

  @Test("service manager notifications are sent to a path and to an abstract name")
  func notify() async throws {
    try await TestLoop.run {
      let directory = try TestDirectory()
      for name in [directory.path + "/notify", "@mfad-test-\(getpid())"] {
        let receiver = try NotifySocket(name)
        withEnvironment(["NOTIFY_SOCKET": name]) {
          ServiceManager.notify("READY=1\nSTATUS=serving")
          ServiceManager.notifyReloading()
        }
        #expect(receiver.receive() == "READY=1\nSTATUS=serving", "\(name)")
        let reload = try #require(receiver.receive())
        #expect(reload.hasPrefix("RELOADING=1\nMONOTONIC_USEC="), "\(name)")
        #expect(Int(reload.dropFirst("RELOADING=1\nMONOTONIC_USEC=".count)).map { $0 > 0 } == true)
        for other in [nil, "", "relative", "/nowhere/notify", "/" + String(repeating: "x", count: 200)] {
          withEnvironment(["NOTIFY_SOCKET": other]) { ServiceManager.notify("X=1") }
        }
        #expect(receiver.receive() == nil)
      }
    }
  }
}

/// The receiving datagram socket, at a path or at an abstract name with a leading `@`.
private final class NotifySocket {
  private let descriptor: Descriptor

  init(_ name: String) throws {
    let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    descriptor = Descriptor(owning: socket(AF_UNIX, type, 0))
    try descriptor.setNonBlocking()
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    if name.hasPrefix("@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor.number, $0, length) }
    }
    try #require(status == 0)
  }

  /// The next datagram.
  ///
  /// `nil` if none is pending.
  func receive() -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor.number, &buffer, buffer.count, 0)
    return count >= 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
  }
}
