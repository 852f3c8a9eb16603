import CourierLink
import CourierProtocol
import EventLoop
import Glibc
import TestLoop
import TestNetwork
import Testing

/// Listeners of the real courier, with Python's HTTP client.
@Suite("listeners of the courier as a child process", .timeLimit(.minutes(30)))
struct ListenerChildTests {
  private let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  private func run(_ body: @escaping @EventLoop @Sendable (CourierClient) async throws -> Void) async throws {
    let file = try directory.write("log_level = debug\n", to: "mfad.conf")
    // The log is next to the configuration.
    let script = """
      #!/bin/sh
      exec '\(try TestPath.program("mfad-courier"))' "$@" 2>>'\(directory.path)/log'
      """
    let executable = try directory.script(script, named: "courier")
    try await TestLoop.run {
      let command = CourierCommand(executable: executable, arguments: ["--config", file])
      // A busy machine may start a program slowly. The long grace period prevents a false timeout.
      let client = CourierClient(.child(command), allowedOrigins: [], grace: .seconds(300)) {}
      try await body(client)
      client.stop()
    }
  }

  /// The browser's view of a URL: the status, and whether the page asks to close the window.
  ///
  /// `None` if the
  /// connection is refused.
  private static func browse(_ host: String, _ port: UInt16, _ target: String) async throws -> String {
    let script = """
      import http.client, sys
      try:
          connection = http.client.HTTPConnection(sys.argv[1], int(sys.argv[2]), timeout=30)
          connection.request("GET", sys.argv[3])
          answer = connection.getresponse()
          print(answer.status, b"close this window" in answer.read())
      except ConnectionRefusedError:
          print(None)
      """
    let arguments = [TestProgram.python, "-S", "-c", script, host, "\(port)", target]
    // Not on the event loop, which serves the courier's socket.
    let output = try await Task.detached { try TestProgram.run(arguments) }.value
    return String(output.dropLast())
  }

  /// True if no listener answers.
  ///
  /// Another test may already use the port of a listener that has ended.
  private static func isGone(_ host: String, _ port: UInt16, _ target: String) async throws -> Bool {
    try await browse(host, port, target) != "200 True"
  }

  @Test("a redirect returns its query, and the journal does not contain it")
  func redirect() async throws {
    try await run { client in
      for host in ["127.0.0.1", "localhost"] {
        let listener = try await client.listen(path: "/comeback", timeout: .seconds(60))
        #expect(try await Self.browse(host, listener.port, "/favicon.ico?code=s3cret") == "404 False")
        #expect(try await Self.browse(host, listener.port, "/comeback?code=s3cret&state=a%20b") == "200 True")
        #expect(try await Self.browse(host, listener.port, "/comeback?code=s3cret&state=%73") == "200 True")
        #expect(await listener.outcome() == .answer("code=s3cret&state=%73"))
        #expect(try await Self.browse(host, listener.port, "/comeback?code=s3cret") == "200 True")
        listener.cancel()
        // The courier answers this order after it has processed the cancellation.
        _ = try await client.listen(path: "/", timeout: .seconds(60))
        #expect(try await Self.isGone(host, listener.port, "/comeback?code=s3cret&state=s"))
      }
    }
    let journal = try TestProgram.run(["cat", "\(directory.path)/log"])
    #expect(journal.contains("redirect received port="))
    #expect(!journal.contains("s3cret") && !journal.contains("/comeback") && !journal.contains("favicon"))
  }

  @Test("a cancelled listener no longer accepts connections")
  func cancel() async throws {
    try await run { client in
      let listener = try await client.listen(path: "/revoked", timeout: .seconds(60))
      #expect(try await Self.browse("127.0.0.1", listener.port, "/revoked?a") == "200 True")
      listener.cancel()
      // The courier answers this order after it has processed the cancellation.
      let last = try await client.listen(path: "/", timeout: .seconds(60))
      #expect(try await Self.isGone("127.0.0.1", listener.port, "/revoked?a"))
      #expect(try await Self.browse("127.0.0.1", last.port, "/?state=s") == "200 True")
      #expect(await last.outcome() == .answer("state=s"))
    }
  }

  @Test("a listener without a redirect times out")
  func timeout() async throws {
    try await run { client in
      // A busy machine may start the courier slowly, so each trial takes longer.
      for seconds in [0.05, 1, 8, 64] {
        let listener: CourierListener
        do throws(CourierFailure) {
          listener = try await client.listen(path: "/", timeout: .seconds(seconds))
        } catch {
          #expect(error == .timeout)
          continue
        }
        let process = client.childProcess
        #expect(await listener.outcome() == .failure(.timeout))
        return #expect(client.childProcess == process)
      }
      Issue.record("no courier listened in time")
    }
  }

  @Test("killing the courier fails its listeners, and the next listener starts a new one")
  func killed() async throws {
    try await run { client in
      let listener = try await client.listen(path: "/", timeout: .seconds(60))
      let waiting = listener.begin()
      kill(try #require(client.childProcess), SIGKILL)
      #expect(await waiting.value == .failure(.courierGone))
      let next = try await client.listen(path: "/", timeout: .seconds(60))
      #expect(try await Self.browse("127.0.0.1", next.port, "/?state=s") == "200 True")
      #expect(await next.outcome() == .answer("state=s"))
    }
  }
}
