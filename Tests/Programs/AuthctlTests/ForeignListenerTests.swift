import Glibc
import Testing
import UnixSockets

extension AuthctlTests {
  @Suite("listener of another user", .serialized)
  struct ForeignListenerTests {
    /// Listens in a directory that only the caller can write, if possible as another user, and prints the
    /// received bytes.
    private static let listener = """
      import os, socket, sys
      server = socket.socket(socket.AF_UNIX)
      server.bind(sys.argv[1])
      if os.getuid() == 0: os.setuid(65533)
      server.listen()
      print("ready", flush=True)
      connection, _ = server.accept()
      if os.getuid() != 65533: connection.sendall(b'{"jsonrpc":"2.0","id":1,"result":{}}' + bytes([10]))
      received = b""
      while chunk := connection.recv(4096): received += chunk
      print(received.decode(), flush=True)
      """

    @Test("authctl sends nothing to a peer of another user")
    func foreignPeer() throws {
      let directory = try TemporaryDirectory.make()
      defer { TemporaryDirectory.remove(directory) }
      let inherited = (["PATH", "HOME"] as [String]).compactMap { name in
        getenv(name).map { "\(name)=\(String(cString: $0))" }
      }
      let environment = inherited + ["MFAD_SOCKET=\(directory)/s"]
      let server = try Child(
        "/usr/bin/env",
        ["python3", "-c", Self.listener, directory + "/s"],
        environment: environment,
        input: .lines([])
      )
      #expect(server.line() == "ready")
      let client = try Child(
        Child.authctl,
        ["--json", "rpc", "lock.now"],
        environment: environment,
        input: .lines([])
      )
      let isForeign = geteuid() == 0
      let answer = client.line()
      #expect(answer.contains("\"NOT_THE_DAEMON\"") == isForeign)
      #expect(answer.contains("it runs as user 65533") == isForeign)
      #expect(client.wait() == .exit(isForeign ? 11 : 0))
      #expect(server.line().isEmpty == isForeign)
      #expect(server.wait() == .exit(0))
    }
  }
}

extension Child {
  /// The next line of standard output, without its line feed.
  fileprivate func line() -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while read(output.number, &byte, 1) == 1, byte != 0x0A { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
