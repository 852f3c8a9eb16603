import Courier
import CourierProtocol
import EventLoop
import TestCourier
import TestHTTP
import TestLoop
import TestNetwork
import Testing

@Suite("courier listeners", .timeLimit(.minutes(30)))
struct ListeningTests {
  @Test("a redirect does not extend the lifetime of its port")
  func timeoutAfterwards() async throws {
    try await TestLoop.run {
      // The test cannot know how fast a busy machine sends the request, so each trial takes longer.
      for seconds in [1, 4, 16, 64] {
        let peer = try TestPeer(of: Courier())
        peer.listen("/heard", timeout: .seconds(seconds))
        let port = try await peer.port()
        let answer = try? await TestHTTPClient.send("GET", "/heard?state=s", port: port)
        guard answer?.status == 200 else {
          continue
        }
        #expect(await peer.next() == .redirected("state=s"))
        #expect(await peer.next() == .failure(.timeout))
        return #expect(await !TestPeer.isListening(port, for: "/heard"))
      }
      Issue.record("nobody could ask in time")
    }
  }

  @Test("a listener without a redirect times out")
  func timeout() async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier())
      peer.listen("/late", timeout: .milliseconds(50))
      let port = try await peer.port()
      #expect(await peer.next() == .failure(.timeout))
      #expect(await !TestPeer.isListening(port, for: "/late"))
    }
  }

  @Test("a cancelled listener ends at once, also during a request, and is answered once")
  func cancel() async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier())
      let id = peer.listen("/cancelled")
      let port = try await peer.port()
      #expect(await TestPeer.isListening(port, for: "/cancelled"))
      let client = try TestHTTPClient(port: port)
      try await client.write(Array("GET /cancelled?a HTTP/1.1\r\n".utf8))
      peer.send(.cancel(id))
      peer.send(.cancel(id))
      #expect(await peer.next() == .failure(.cancelled))
      #expect(await client.answer().raw.isEmpty)
      #expect(await !TestPeer.isListening(port, for: "/cancelled"))
      peer.listen()
      _ = try await peer.port()
    }
  }

  @Test("the listeners of a disconnected peer are closed")
  func leaving() async throws {
    try await TestLoop.run {
      let courier = try Courier()
      let peer = try TestPeer(of: courier)
      peer.listen("/left")
      let port = try await peer.port()
      let client = try TestHTTPClient(port: port)
      peer.close()
      #expect(await client.answer().raw.isEmpty)
      #expect(await !TestPeer.isListening(port, for: "/left"))
    }
  }

  @Test("at most 64 listeners of all peers exist, and a cancelled one frees its slot")
  func busy() async throws {
    try await TestLoop.run {
      let courier = try Courier()
      let (one, other) = (try TestPeer(of: courier), try TestPeer(of: courier))
      var ports: [UInt16] = []
      var first: ExchangeID?
      for _ in 0..<63 {
        let id = one.listen()
        first = first ?? id
        ports.append(try await one.port())
      }
      let last = other.listen()
      ports.append(try await other.port())
      #expect(Set(ports).count == 64)
      one.listen()
      #expect(await one.next() == .failure(.busy))
      other.send(.cancel(last))
      #expect(await other.next() == .failure(.cancelled))
      one.listen()
      _ = try await one.port()
      #expect(try await TestHTTPClient.send("GET", "/callback?state=s", port: ports[0]).status == 200)
      #expect(await one.next() == .redirected("state=s"))
      other.listen()
      #expect(await other.next() == .failure(.busy), "its port is kept")
      one.send(.cancel(try #require(first)))
      #expect(await one.next() == .failure(.cancelled))
      other.listen()
      _ = try await other.port()
      courier.stop()
    }
  }

  @Test("a duplicate listener id closes the connection")
  func repeatedID() async throws {
    try await TestLoop.run {
      let server = try TestServer()
      let redirect = ExpectedRedirect.withState(path: "/", timeout: .seconds(60))
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

  @Test("an invalid order is rejected, and the peer is still served")
  func malformed() async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier())
      for path in ["callback", "/a?b", "/a b", ""] {
        let state = String(repeating: "A", count: 43) + "="
        peer.send(text: "{\"listen\":5,\"path\":\"\(path)\",\"state\":\"\(state)\",\"timeout\":5000}")
        #expect(await peer.next() == .failure(.malformed))
      }
      peer.listen("/")
      let port = try await peer.port()
      #expect(try await TestHTTPClient.send("GET", "/?state=s", port: port).status == 200)
      #expect(await peer.next() == .redirected("state=s"))
    }
  }

  @Test("a courier with a listener is not idle")
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
        // Three idle times pass with the listener. The idle time starts only at its end.
        EventLoop.after(.milliseconds(150)) {
          isBusy = false
          peer.send(.cancel(id))
        }
      }
    }
  }
}
