import Courier
import CourierProtocol
import EventLoop
import Glibc
import SystemCalls
import TestNetwork
import Testing
import UnixSockets
import Usage
import WebAddress

@Suite("mfad-courier", .timeLimit(.minutes(30)))
struct CourierProgramTests {
  private let path: String
  private let directory: TestDirectory

  init() throws {
    path = try TestPath.program("mfad-courier")
    directory = try TestDirectory()
  }

  private func exitCode(_ arguments: String...) throws -> Int32 {
    try TestProgram([path] + arguments).waitForEnd()
  }

  @Test("--help and --version print help and version")
  func help() throws {
    #expect(try TestProgram.run([path, "--help"]) == CourierOptions.usage.help)
    #expect(try TestProgram.run([path, "--version"]) == "mfad-courier \(Version.text)\n")
  }

  @Test("a usage error exits with 2")
  func usage() throws {
    #expect(try exitCode("--verbose") == 2)
    #expect(try exitCode("--config") == 2)
    #expect(try exitCode("--child", "3", "--socket", "/tmp/x") == 2)
    #expect(try exitCode("--child", "2") == 2)
    #expect(try exitCode("--child", "x") == 2)
    #expect(try exitCode("--platform", "example.com") == 2)
  }

  @Test("an invalid configuration exits with 78")
  func configuration() throws {
    let file = try directory.write("ca_file = relative\n", to: "mfad.conf")
    #expect(try exitCode("--config", file) == 78)
    #expect(try exitCode("--config", "\(directory.path)/none.conf") == 78)
    #expect(try exitCode("--platform", "http://127.0.0.1/") == 78)
  }

  @Test("a descriptor or path that is not a suitable socket exits with 1")
  func failures() throws {
    #expect(try exitCode("--child", "9") == 1)
    #expect(try exitCode("--socket", "\(directory.path)/none/socket") == 1)
    let program = try TestProgram([TestProgram.python, "-c", Self.activation, path, "", "pair"])
    #expect(program.waitForEnd() == 1)
  }

  @Test("mfad-courier links libcurl and libmicrohttpd, but no database")
  func libraries() throws {
    let libraries = try TestProgram.run(["ldd", path])
    #expect(libraries.contains("libcurl") && libraries.contains("libmicrohttpd"))
    #expect(!libraries.contains("sqlite"))
    #expect(!libraries.contains("Foundation"))
  }

  @Test("mfad-courier listens for its own user and removes its socket at SIGTERM")
  func socket() throws {
    let server = try TestServer()
    let socket = "\(directory.path)/courier.sock"
    let file = try directory.write("allow_loopback_http = yes\ncourier_socket = \(socket)\n", to: "mfad.conf")
    let program = try TestProgram([path, "--config", file, "--platform", server.url("/").text])
    let connection = try connect(to: socket)
    var status = stat()
    #expect(stat(socket, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try ask(connection, server.url("/hello")) == "hello")

    let process = try TestProgram.run(["cat", "/proc/\(program.process)/status"])
    #expect(process.contains("NoNewPrivs:\t1"))
    #expect(process.contains("Threads:\t1\n"))
    let limits = try TestProgram.run(["cat", "/proc/\(program.process)/limits"])
    #expect(
      limits.split(separator: "\n").contains { $0.hasPrefix("Max core file size") && $0.contains(" 0 ") }
    )

    kill(program.process, SIGTERM)
    #expect(program.waitForEnd() == 0)
    #expect(access(socket, F_OK) != 0)
  }

  @Test("mfad-courier serves an activated socket and leaves it in place")
  func activation() throws {
    let server = try TestServer()
    let socket = "\(directory.path)/activated.sock"
    let file = try directory.write("allow_loopback_http = yes\n", to: "mfad.conf")
    let program = try TestProgram([
      TestProgram.python, "-c", Self.activation, path, socket, "listen", "--config", file, "--platform",
      server.url("/").text,
    ])
    let connection = try connect(to: socket)
    #expect(try ask(connection, server.url("/hello")) == "hello")
    kill(program.process, SIGTERM)
    #expect(program.waitForEnd() == 0)
    #expect(access(socket, F_OK) == 0)
  }

  /// Executes the courier with a socket as descriptor 3, like systemd.
  private static let activation = """
    import os, socket, sys
    program, path, kind = sys.argv[1:4]
    if kind == "listen":
        s = socket.socket(socket.AF_UNIX); s.bind(path); s.listen()
    else:
        s, other = socket.socketpair()
    os.dup2(s.fileno(), 3) if s.fileno() != 3 else os.set_inheritable(3, True)
    os.execve(program, [program] + sys.argv[4:], {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"})
    """

  /// Connects as soon as the courier listens.
  private func connect(to path: String) throws -> Descriptor {
    while true {
      do {
        return try UnixSocket.connect(to: path)
      } catch {
        guard error.code == ENOENT || error.code == ECONNREFUSED else { throw error }
        usleep(2000)
      }
    }
  }

  private func ask(_ connection: Descriptor, _ url: WebURL) throws -> String {
    let order = CourierOrder.request(.first, CourierRequest(.get, url))
    let frame = try #require(CourierFrame.encode(order.serialized))
    _ = try frame.withUnsafeBytes { try connection.send($0) }
    var reader = CourierFrameReader()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = try buffer.withUnsafeMutableBytes { try connection.read(into: $0) }
      reader.append(buffer[..<(try #require(count))])
      guard let message = try reader.next() else { continue }
      guard case .response(.first, let response) = try CourierReply(parsing: message) else { return "" }
      return String(decoding: response.body, as: UTF8.self)
    }
  }
}
