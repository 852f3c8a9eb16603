import Glibc
import SystemCalls
import Testing
import UnixSockets

@Suite("Unix sockets", .timeLimit(.minutes(30)))
struct UnixSocketTests {
  @Test("peer credentials come from the kernel")
  func peer() throws {
    let (one, other) = try UnixSocket.pair()
    let peer = try UnixSocket.peer(of: one)
    #expect(peer.process == getpid() && peer.user == geteuid() && peer.group == getegid())
    withExtendedLifetime(other) {}
  }

  @Test("a listener has its permissions at once and replaces an existing socket")
  func listen() throws {
    let path = "/tmp/mfad-test-\(getpid()).sock"
    defer { unlink(path) }
    _ = try UnixSocket.listen(at: path, mode: 0o600)
    let listener = try UnixSocket.listen(at: path, mode: 0o660)
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o660)
    let client = try UnixSocket.connect(to: path)
    #expect(try UnixSocket.accept(from: listener) != nil)
    #expect(try UnixSocket.accept(from: listener) == nil)
    withExtendedLifetime(client) {}
  }

  @Test("a path that is too long is refused, not truncated")
  func longPath() {
    #expect(throws: SystemError.self) { try UnixSocket.connect(to: String(repeating: "x", count: 200)) }
  }
}
