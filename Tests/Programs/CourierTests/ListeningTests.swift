import Courier
import CourierProtocol
import EventLoop
import TestHTTP
import TestLoop
import TestNetwork
import Testing

@Suite("Listening of the courier", .timeLimit(.minutes(10)))
struct ListeningTests {
  private static func isListening(_ port: UInt16) async -> Bool {
    await (try? TestHTTPClient(port: port)) != nil
  }

  @Test("a redirect that does not come in its time is given up")
  func timeout() async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier())
      peer.listen(timeout: .milliseconds(50))
      let port = try await peer.port()
      #expect(await peer.next() == .failure(.timeout))
      #expect(await !Self.isListening(port))
    }
  }

  @Test("a cancelled listener ends at once, with requests half read, and is answered as such, once")
  func cancel() async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier())
      let id = peer.listen()
      let port = try await peer.port()
      let client = try TestHTTPClient(port: port)
      try await client.write(Array("GET /callback?a HTTP/1.1\r\n".utf8))
      peer.send(.cancel(id))
      peer.send(.cancel(id))
      #expect(await peer.next() == .failure(.cancelled))
      #expect(await client.answer().raw.isEmpty)
      #expect(await !Self.isListening(port))
      peer.listen()
      _ = try await peer.port()
    }
  }

  @Test("a peer that leaves takes its listeners with it")
  func leaving() async throws {
    try await TestLoop.run {
      let courier = try Courier()
      let peer = try TestPeer(of: courier)
      peer.listen()
      let port = try await peer.port()
      let client = try TestHTTPClient(port: port)
      peer.close()
      #expect(await client.answer().raw.isEmpty)
      #expect(await !Self.isListening(port))
    }
  }

  @Test("eight redirects are waited for, all peers together, and a place is free again at once")
  func busy() async throws {
    try await TestLoop.run {
      let courier = try Courier()
      let (one, other) = (try TestPeer(of: courier), try TestPeer(of: courier))
      var ports: [UInt16] = []
      for _ in 0..<7 {
        one.listen()
        ports.append(try await one.port())
      }
      let last = other.listen()
      ports.append(try await other.port())
      #expect(Set(ports).count == 8)
      one.listen()
      #expect(await one.next() == .failure(.busy))
      other.send(.cancel(last))
      #expect(await other.next() == .failure(.cancelled))
      one.listen()
      _ = try await one.port()
      #expect(try await TestHTTPClient.send("GET", "/callback?a", port: ports[3]).status == 200)
      #expect(await one.next() == .redirected("a"))
      other.listen()
      _ = try await other.port()
      courier.stop()
    }
  }

  @Test("an id that is under way cannot be used a second time")
  func repeatedID() async throws {
    try await TestLoop.run {
      let server = try TestServer()
      let redirect = ExpectedRedirect(path: "/", timeout: .seconds(60))
      let request = CourierRequest(.get, try server.url("/hold"))
      for order in [CourierOrder.listen(.first, redirect), .request(.first, request)] {
        let peer = try TestPeer(of: Courier(server.url("/")))
        peer.send(.listen(.first, redirect))
        _ = try await peer.port()
        peer.send(order)
        #expect(await peer.next() == .closed)
      }
    }
  }

  @Test("an order that cannot be followed is refused, and the peer is served further")
  func malformed() async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier())
      for path in ["callback", "/a?b", "/a b", ""] {
        peer.send(text: "{\"listen\":5,\"path\":\"\(path)\",\"timeout\":5000}")
        #expect(await peer.next() == .failure(.malformed))
      }
      peer.listen("/")
      let port = try await peer.port()
      #expect(try await TestHTTPClient.send("GET", "/?a", port: port).status == 200)
      #expect(await peer.next() == .redirected("a"))
    }
  }

  @Test("a courier that waits for a redirect is not idle")
  func idle() async throws {
    try await TestLoop.run {
      let courier = try Courier(idleTime: .milliseconds(50))
      let peer = try TestPeer(of: courier)
      let id = peer.listen()
      _ = try await peer.port()
      var isBusy = true
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        courier.onIdle = {
          #expect(!isBusy)
          courier.onIdle = nil
          continuation.resume()
        }
        // Three idle times pass with the listener there; only its end lets the next one count.
        EventLoop.after(.milliseconds(150)) {
          isBusy = false
          peer.send(.cancel(id))
        }
      }
    }
  }
}
