import CourierLink
import CourierProtocol
import EventLoop
import Glibc
import TestLoop
import TestNetwork
import Testing
import WebAddress

/// The client with the real courier as its child process.
@Suite("courier as a child process", .timeLimit(.minutes(30)))
struct CourierChildTests {
  private let server: TestServer
  private let directory: TestDirectory
  private let command: CourierCommand

  init() throws {
    server = try TestServer()
    directory = try TestDirectory()
    let file = try directory.write("allow_loopback_http = yes\n", to: "mfad.conf")
    let platform = try server.url("/").text
    command = CourierCommand(
      executable: try TestPath.program("mfad-courier"),
      arguments: ["--config", file, "--platform", platform]
    )
  }

  private func run(
    _ command: CourierCommand? = nil,
    grace: Duration = .seconds(300),
    idleTime: Duration = .seconds(300),
    _ body: @escaping @EventLoop @Sendable (CourierClient) async throws -> Void
  ) async throws {
    try await TestLoop.run {
      let origin = try server.url("/").origin
      let client = CourierClient(
        .child(command ?? self.command),
        allowedOrigins: [origin],
        grace: grace,
        idleTime: idleTime
      ) {}
      try await body(client)
      client.stop()
    }
  }

  @Test("a request is sent to the server and its response returned")
  func request() async throws {
    try await run { client in
      #expect(try await client.get(server.url("/hello")) == .answer("hello"))
      let url = try server.url("/echo")
      let headers = [CourierHeader("Cookie", "a=1")]
      let answer = await client.outcome(CourierRequest(.post, url, headers: headers, body: [1, 2, 255]))
      guard case .answer(let text) = answer else { return #expect(Bool(false)) }
      #expect(text.contains("0102ff") && text.contains("[\"Cookie\", \"a=1\"]"))
      #expect(text.contains("[\"User-Agent\", \"mfad-courier/"))
    }
  }

  @Test("the courier runs only during requests and for the idle time afterwards")
  func idle() async throws {
    try await run(idleTime: .milliseconds(1)) { client in
      #expect(client.childProcess == nil)
      for round in 1...3 {
        let held = client.begin(try server.url("/hold"))
        #expect(try await client.get(server.url("/await/held/\(round)")) == .answer("\(round)"))
        let process = try #require(client.childProcess)
        try await EventLoop.sleep(for: .milliseconds(20))
        #expect(client.childProcess == process, "a request is under way")
        held.cancel()
        while client.childProcess != nil { try await EventLoop.sleep(for: .milliseconds(1)) }
        while kill(process, 0) == 0 { try await EventLoop.sleep(for: .milliseconds(1)) }
        #expect(try await client.get(server.url("/hello")) == .answer("hello"))
      }
    }
  }

  @Test("the courier checks its own allow-list")
  func allowList() async throws {
    try await run { client in
      let other = try #require(WebURL("http://localhost:\(server.port)/hello"))
      client.allow([other.origin, try server.url("/").origin])
      #expect(await client.get(other) == .failure(.refusedOrigin))
      #expect(try await client.get(server.url("/hello")) == .answer("hello"))
    }
  }

  @Test("killing the courier fails pending requests, and the next request starts a new one")
  func killed() async throws {
    try await run { client in
      let held = (0..<3).compactMap { _ in try? client.begin(server.url("/hold")) }
      #expect(try await client.get(server.url("/await/held/3")) == .answer("3"))
      let process = try #require(client.childProcess)
      kill(process, SIGKILL)
      for task in held { #expect(await task.value == .failure(.courierGone)) }
      #expect(try await client.get(server.url("/hello")) == .answer("hello"))
      #expect(client.childProcess != process)
      // Reaped: no zombie with this process id is left.
      while kill(process, 0) == 0 { try await EventLoop.sleep(for: .milliseconds(1)) }
    }
  }

  @Test("a hanging courier is killed, and the next request starts a new one")
  func stopped() async throws {
    try await run(grace: .milliseconds(100)) { client in
      #expect(try await client.get(server.url("/hello")) == .answer("hello"))
      let process = try #require(client.childProcess)
      kill(process, SIGSTOP)
      #expect(try await client.get(server.url("/hello"), timeout: .milliseconds(100)) == .failure(.timeout))
      #expect(try await client.get(server.url("/hello")) == .answer("hello"))
      while kill(process, 0) == 0 { try await EventLoop.sleep(for: .milliseconds(1)) }
    }
  }

  @Test("a reloaded configuration takes effect in client and courier")
  func reload() async throws {
    try await run { client in
      #expect(try await client.get(server.url("/hello")) == .answer("hello"))
      let process = client.childProcess
      let other = try #require(WebURL("http://localhost:\(server.port)/hello"))
      #expect(await client.get(other) == .failure(.refusedOrigin))
      _ = try directory.write("allow_loopback_http = yes\nissuer = \(other.origin.text)\n", to: "mfad.conf")
      client.allow([other.origin])
      #expect(await client.get(other) == .answer("hello"))
      #expect(client.childProcess == process)
    }
  }

  @Test("a courier that cannot start or exits at once fails the request")
  func broken() async throws {
    for executable in ["/nonexistent/mfad-courier", "/bin/false"] {
      try await run(CourierCommand(executable: executable)) { client in
        let outcome = try await client.get(server.url("/hello"))
        #expect(outcome == .failure(.courierGone))
      }
    }
  }

  @Test("the child inherits only its socket, the standard streams and the required environment")
  func surroundings() async throws {
    let output = "\(directory.path)/output"
    let interpreter = try TestProgram.run([TestProgram.python, "-c", "import sys; print(sys.executable)"])
    let script = """
      #!\(interpreter)import os, sys
      mask = [line for line in open("/proc/self/status") if line.startswith("SigBlk")][0].split()[1]
      with open("\(output).new", "w") as file:
          print(",".join(sorted(set(os.listdir("/proc/self/fd")) - {str(file.fileno()), "5"})), file=file)
          print(",".join(sorted(os.environ)), file=file)
          print(int(mask, 16), file=file)
          print(sys.argv[1:], file=file)
      os.rename("\(output).new", "\(output)")
      sys.stdin.read(); os.read(3, 1)
      """
    let file = try directory.script(script, named: "courier")
    // A descriptor without close-on-exec, as a careless library would leave it.
    let careless = fcntl(STDERR_FILENO, F_DUPFD, 700)
    defer { close(careless) }
    try await TestLoop.run {
      var (blocked, former) = (sigset_t(), sigset_t())
      sigemptyset(&blocked)
      sigaddset(&blocked, SIGUSR2)
      pthread_sigmask(SIG_BLOCK, &blocked, &former)
      let command = CourierCommand(executable: file, arguments: ["--config", "a b"])
      let url = try server.url("/hello")
      let client = CourierClient(.child(command), allowedOrigins: [url.origin]) {}
      let waiting = client.begin(url)
      while access(output, F_OK) != 0 { try await EventLoop.sleep(for: .milliseconds(1)) }
      pthread_sigmask(SIG_SETMASK, &former, nil)
      client.stop()
      #expect(await waiting.value == .failure(.courierGone))
    }
    let lines = try TestProgram.run(["cat", output]).split(separator: "\n")
    // Only SIGHUP, number 1, is blocked until the courier handles it.
    #expect(lines == ["0,1,2,3", "LANG,PATH,SWIFT_BACKTRACE", "1", "['--child', '3', '--config', 'a b']"])
  }

  @Test("the courier exits when its parent is killed, even if another process keeps the socket open")
  func parentKilled() async throws {
    let parent = try TestProgram(
      [TestProgram.python, "-c", Self.parent, "kept", command.executable] + command.arguments
    )
    let keeper = try #require(pid_t(try parent.readLine()))
    defer { kill(keeper, SIGKILL) }
    let courier = try #require(pid_t(try parent.readLine()))
    #expect(kill(courier, 0) == 0)
    kill(parent.process, SIGKILL)
    // The output ends when both processes that hold it have ended.
    _ = try parent.readToEnd()
  }

  @Test("the courier exits with status 0 when its socket is closed")
  func socketClosed() async throws {
    let arguments = ["closed", command.executable] + command.arguments
    let parent = try TestProgram([TestProgram.python, "-c", Self.parent] + arguments)
    _ = try parent.readLine()
    #expect(try parent.readLine() == "ended with 0")
  }

  /// Starts the courier, waits until it serves and then for its end, with the socket kept or closed.
  private static let parent = """
    import os, socket, subprocess, sys
    ours, theirs = socket.socketpair()
    os.dup2(theirs.fileno(), 9)
    if sys.argv[1] == "kept":
        null = subprocess.DEVNULL
        print(subprocess.Popen(["sleep", "1000"], pass_fds=[ours.fileno()], stdin=null, stdout=null).pid, flush=True)
    courier = subprocess.Popen([sys.argv[2], "--child", "9"] + sys.argv[3:], pass_fds=[9])
    theirs.close(); os.close(9)
    message = b'{"id":1}'
    ours.sendall(len(message).to_bytes(4, "big") + message)
    ours.recv(4096)
    print(courier.pid, flush=True)
    if sys.argv[1] == "closed":
        ours.close()
    print("ended with", courier.wait(), flush=True)
    """
}
