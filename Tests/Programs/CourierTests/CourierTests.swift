import Configuration
import Courier
import CourierProtocol
import EventLoop
import Glibc
import TestLoop
import TestNetwork
import Testing
import UnixSockets
import WebAddress

@Suite("courier", .timeLimit(.minutes(30)))
struct CourierTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  @Test("a request to a configured origin is sent")
  func carried() async throws {
    try await TestLoop.run {
      let courier = try Courier(server.url("/"))
      let peer = try TestPeer(of: courier)
      #expect(try await peer.get(server.url("/hello")) == .answer(200, "hello"))
    }
  }

  @Test("a request to an unconfigured origin is rejected without a connection")
  func origin() async throws {
    try await TestLoop.run {
      let courier = try Courier(server.url("/"))
      let peer = try TestPeer(of: courier)
      let others = [
        "http://localhost:\(server.port)/", "http://127.0.0.1/", "https://127.0.0.1:\(server.port)/",
      ]
      for other in others {
        #expect(await peer.get(try #require(WebURL(other))) == .failure(.refusedOrigin))
      }
      #expect(try await peer.get(server.url("/count/connections")) == .answer(200, "1"))
    }
  }

  @Test("a configured name that resolves to this machine is rejected")
  func address() async throws {
    try await TestLoop.run {
      let url = try #require(WebURL("https://name.localhost:\(server.port)/"))
      let peer = try TestPeer(of: Courier(url))
      #expect(await peer.get(url) == .failure(.refusedAddress))
    }
  }

  @Test("a server without trusted TLS has the failure tls")
  func tls() async throws {
    try await TestLoop.run {
      let url = try #require(WebURL("https://localhost:\(server.port)/"))
      let peer = try TestPeer(of: Courier(url))
      #expect(await peer.get(url) == .failure(.tls))
    }
  }

  @Test(
    "a malformed request is rejected",
    arguments: [
      ("GET", "PATCH"), ("GET", "CONNECT"), ("X-A", "Host"), ("X-A", "X-A: 1\\r\\nX-B"),
      ("\"1\"", "\"1\\r\\n\""),
      ("\"1\"", "\"\\u0000\""), ("http://", "file://"), ("http://", "http://user@"), ("\"\"", "\"AAEC\""),
    ]
  )
  func refused(what: String, with replacement: String) async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier(server.url("/")))
      let url = try server.url("/hello").text
      let whole = """
        {"id":1,"method":"GET","url":"\(url)","headers":[["X-A","1"]],"body":"","timeout":40000}
        """
      peer.send(text: whole)
      #expect(await peer.next() == .answer(200, "hello"))
      peer.send(text: whole.replacing(what, with: replacement))
      #expect(await peer.next() == .failure(.malformed))
    }
  }

  @Test("a response body of 700 KiB is accepted, a larger one rejected")
  func bodyLimit() async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier(server.url("/")))
      let largest = try await peer.get(server.url("/bytes/716800"))
      #expect(largest == .answer(200, String(repeating: "x", count: 716800)))
      for path in ["/bytes/716801", "/stream/717824"] {
        #expect(try await peer.get(server.url(path)) == .failure(.tooLarge))
      }
    }
  }

  @Test("a request times out")
  func timeout() async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier(server.url("/")))
      #expect(try await peer.get(server.url("/hold"), timeout: .milliseconds(100)) == .failure(.timeout))
    }
  }

  @Test("a cancelled request is aborted and answered once")
  func cancel() async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier(server.url("/")))
      let id = peer.begin(try server.url("/hold"))
      #expect(try await peer.get(server.url("/await/held/1")) == .answer(200, "1"))
      peer.send(.cancel(id))
      peer.send(.cancel(id))
      #expect(await peer.next() == .failure(.cancelled))
      #expect(try await peer.get(server.url("/await/left/1")) == .answer(200, "1"))
    }
  }

  @Test("the requests of a disconnected peer are aborted")
  func leaving() async throws {
    try await TestLoop.run {
      let courier = try Courier(server.url("/"))
      let (one, other) = (try TestPeer(of: courier), try TestPeer(of: courier))
      one.begin(try server.url("/hold"))
      #expect(try await other.get(server.url("/await/held/1")) == .answer(200, "1"))
      one.close()
      #expect(try await other.get(server.url("/await/left/1")) == .answer(200, "1"))
    }
  }

  @Test("at most 64 requests of all peers run, and a finished one frees its slot")
  func busy() async throws {
    try await TestLoop.run {
      let courier = try Courier(server.url("/"))
      let (one, other) = (try TestPeer(of: courier), try TestPeer(of: courier))
      let ids = try (0..<63).map { _ in one.begin(try server.url("/hold")) }
      #expect(try await other.get(server.url("/await/held/63")) == .answer(200, "63"))
      other.begin(try server.url("/hold"))
      #expect(try await one.get(server.url("/hello")) == .failure(.busy))
      one.send(.cancel(ids[0]))
      #expect(try await one.get(server.url("/hello")) == .failure(.cancelled))
      #expect(await one.next() == .answer(200, "hello"))
    }
  }

  @Test(
    "a peer that violates the protocol is disconnected, and others are not",
    arguments: [
      [0, 0x10, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0], [0, 0, 0, 2, 0x7B, 0x7D], Array("GET / ".utf8),
    ] as [[UInt8]]
  )
  func garbage(bytes: [UInt8]) async throws {
    try await TestLoop.run {
      let courier = try Courier(server.url("/"))
      let (one, other) = (try TestPeer(of: courier), try TestPeer(of: courier))
      one.send(raw: bytes)
      #expect(await one.next() == .closed)
      #expect(try await other.get(server.url("/hello")) == .answer(200, "hello"))
    }
  }

  @Test("a duplicate request id closes the connection")
  func repeatedID() async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier(server.url("/")))
      let request = CourierRequest(.get, try server.url("/hold"))
      peer.send(.request(.first, request))
      peer.send(.request(.first, request))
      #expect(await peer.next() == .closed)
    }
  }

  @Test("a new configuration applies to later requests")
  func configure() async throws {
    try await TestLoop.run {
      let courier = try Courier(server.url("/"))
      let peer = try TestPeer(of: courier)
      peer.begin(try server.url("/hold"))
      #expect(try await peer.get(server.url("/await/held/1")) == .answer(200, "1"))
      courier.configure(try Configuration(for: [], settings: "ca_file = /nonexistent/ca.pem"))
      #expect(try await peer.get(server.url("/hello")) == .failure(.refusedOrigin))
      courier.configure(try Configuration(for: [server.url("/")]))
      let answers = [try await peer.get(server.url("/release")), await peer.next()]
      #expect(answers.contains(.answer(200, "")) && answers.contains(.answer(200, "held")))
    }
  }

  @Test("a courier is idle only without requests")
  func idle() async throws {
    try await TestLoop.run {
      let courier = try Courier(server.url("/"), idleTime: .milliseconds(100))
      let peer = try TestPeer(of: courier)
      let id = peer.begin(try server.url("/hold"))
      #expect(try await peer.get(server.url("/await/held/1")) == .answer(200, "1"))
      var isBusy = true
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        courier.onIdle = {
          #expect(!isBusy)
          courier.onIdle = nil
          continuation.resume()
        }
        // Three idle times pass during the request. The idle time starts only at its end.
        EventLoop.after(.milliseconds(300)) {
          isBusy = false
          peer.send(.cancel(id))
        }
      }
    }
  }

  @Test("a process of another user is rejected", .enabled(if: geteuid() == 0))
  func otherUser() async throws {
    let directory = try TestDirectory()
    let path = "\(directory.path)/socket"
    chmod(directory.path, 0o711)
    let script = """
      import os, socket, sys
      os.setgroups([]); os.setgid(65533); os.setuid(int(sys.argv[2]))
      s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
      print("connected", flush=True)
      print(len(s.recv(1)), flush=True)
      """
    let courier = try await TestLoop.run {
      let courier = try Courier(server.url("/"), users: [65532])
      try courier.listen(on: UnixSocket.listen(at: path, mode: 0o666))
      return courier
    }
    let stranger = try TestProgram([TestProgram.python, "-c", script, path, "65533"])
    #expect(try stranger.readLine() == "connected")
    #expect(try stranger.readLine() == "0")
    let permitted = try TestProgram([TestProgram.python, "-c", script, path, "65532"])
    #expect(try permitted.readLine() == "connected")
    // The process reads a byte until the courier closes the connection.
    try await TestLoop.run {
      let peer = try TestPeer(of: courier)
      #expect(try await peer.get(server.url("/hello")) == .answer(200, "hello"))
      courier.stop()
    }
    #expect(try permitted.readLine() == "0")
  }
}
