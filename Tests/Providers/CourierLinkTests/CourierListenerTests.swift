import CourierLink
import CourierProtocol
import EventLoop
import Glibc
import TestCourier
import TestLoop
import Testing

/// The client's listeners with a scripted courier.
@Suite("listeners of the courier client", .timeLimit(.minutes(30)))
struct CourierListenerTests {
  private func run(
    grace: Duration = .seconds(300),
    _ body: @escaping @EventLoop @Sendable (CourierClient, FakeCourier) async throws -> Void
  ) async throws {
    try await TestLoop.run {
      let courier = try FakeCourier()
      let client = CourierClient(.socket(path: courier.path), allowedOrigins: [], grace: grace) {}
      try await body(client, courier)
      client.stop()
      courier.stop()
    }
  }

  @Test("a listener returns its port first, and its query to every waiting task")
  func query() async throws {
    try await run { client, courier in
      var held: [(ExchangeID, CourierLine)] = []
      courier.onOrder = { order, stream in
        guard let id = order.listenID else { return }
        held.append((id, stream))
        stream.send(.listening(id, port: UInt16(id.rawValue)))
      }
      let first = try await client.listen(path: "/a", timeout: .seconds(600))
      let second = try await client.listen(path: "/b", timeout: .seconds(600))
      #expect(held.map { UInt16($0.0.rawValue) } == [first.port, second.port])
      let waiting = (0..<2).map { _ in second.begin() }
      for (id, stream) in held.reversed() { stream.send(.redirected(id, query: "of=\(id.rawValue)")) }
      for task in waiting { #expect(await task.value == .answer("of=\(second.port)")) }
      for listener in [first, second] { #expect(await listener.outcome() == .answer("of=\(listener.port)")) }
      guard case .listen(_, let redirect) = courier.orders[1] else { return #expect(Bool(false)) }
      #expect(redirect.path == "/b" && redirect.timeout > .seconds(50))
      #expect(courier.orders.count == 2)
    }
  }

  @Test("replies in one packet are processed in order")
  func oneBreath() async throws {
    try await run { client, courier in
      courier.onOrder = { order, stream in
        guard let id = order.listenID else { return }
        // A redirect before the port is invalid. Only the first port and the first redirect are valid.
        stream.send(.redirected(id, query: "early"))
        for reply in [.listening(id, port: 1), .listening(id, port: 2)] as [CourierReply] {
          stream.send(reply)
        }
        for query in ["first", "second"] { stream.send(.redirected(id, query: query)) }
      }
      let listener = try await client.listen(path: "/", timeout: .seconds(600))
      #expect(listener.port == 1)
      #expect(await listener.outcome() == .answer("first"))
      #expect(courier.connections == 1)
    }
  }

  @Test(
    "each courier failure is returned, before and after the listener has its port",
    arguments: CourierFailure.allCases
  )
  func failures(failure: CourierFailure) async throws {
    try await run { client, courier in
      courier.onOrder = { [unowned courier] order, stream in
        guard let id = order.listenID else { return }
        if courier.orders.count == 2 { stream.send(.listening(id, port: 1)) }
        stream.send(.failure(id, failure))
      }
      #expect(await client.listenFailure() == failure)
      let listener = try await client.listen(path: "/", timeout: .seconds(600))
      #expect(await listener.outcome() == .failure(failure))
    }
  }

  @Test("invalid listeners are not sent")
  func refused() async throws {
    try await run { client, courier in
      for path in ["", "a", "/a?b", "/a#b", "/a\r\nb"] {
        #expect(await client.listenFailure(path: path) == .malformed)
      }
      for timeout in [.zero, .seconds(601)] as [Duration] {
        #expect(await client.listenFailure(timeout: timeout) == .malformed)
      }
      #expect(courier.connections == 0)
    }
  }

  @Test("an owner may have four listeners, all owners sixty-four, and a closed one frees its slot")
  func limit() async throws {
    try await run { client, courier in
      courier.onOrder = Self.listens
      var listeners: [CourierListener] = []
      for number in 0..<64 {
        let owner = uid_t(1000 + number / 4)
        #expect(client.hasListener(for: owner))
        listeners.append(try await client.listen(owner: owner))
        guard number % 4 == 3 else { continue }
        #expect(!client.hasListener(for: owner))
        #expect(await client.listenFailure(owner: owner) == .busy)
      }
      #expect(await client.listenFailure(owner: 2000) == .busy)
      listeners[3].cancel()
      #expect(await listeners[3].outcome() == .failure(.cancelled))
      listeners.append(try await client.listen())
      #expect(courier.orders.count == 66)
    }
  }

  @Test("a redirect ends the wait, and the port is kept until the listener is cancelled")
  func kept() async throws {
    try await run { client, courier in
      courier.onOrder = { order, stream in
        Self.listens(order, stream)
        if let id = order.listenID { stream.send(.redirected(id, query: "state=s")) }
      }
      let listener = try await client.listen()
      let id = try #require(courier.orders[0].listenID)
      #expect(await listener.outcome() == .answer("state=s"))
      #expect(courier.orders.count == 1)
      listener.cancel()
      guard case .cancel(id) = try await courier.orders(2)[1] else { return #expect(Bool(false)) }
      #expect(await listener.outcome() == .answer("state=s"))
    }
  }

  @Test("a cancelled task ends only its wait, and the listener is cancelled once")
  func cancel() async throws {
    try await run { client, courier in
      courier.onOrder = Self.listens
      let listener = try await client.listen(path: "/", timeout: .seconds(600))
      let (cancelled, waiting) = (listener.begin(), listener.begin())
      cancelled.cancel()
      #expect(await cancelled.value == .failure(.cancelled))
      #expect(courier.orders.count == 1)
      listener.cancel()
      listener.cancel()
      #expect(await waiting.value == .failure(.cancelled))
      let id = try #require(courier.orders[0].listenID)
      guard case .cancel(id) = try await courier.orders(2)[1] else { return #expect(Bool(false)) }
      try await Self.expectNoMoreOrders(than: 2, client, courier)
    }
  }

  @Test("a task cancelled before the port is known cancels the listener")
  func cancelledOpening() async throws {
    try await run { client, courier in
      let task = Task { @EventLoop in await client.listenFailure() }
      let id = try #require(try await courier.orders(1)[0].listenID)
      task.cancel()
      #expect(await task.value == .cancelled)
      guard case .cancel(id) = try await courier.orders(2)[1] else { return #expect(Bool(false)) }
    }
  }

  @Test("a released listener is cancelled")
  func released() async throws {
    try await run { client, courier in
      courier.onOrder = Self.listens
      _ = try await client.listen(path: "/", timeout: .seconds(600))
      let id = try #require(courier.orders[0].listenID)
      guard case .cancel(id) = try await courier.orders(2)[1] else { return #expect(Bool(false)) }
    }
  }

  @Test("a closed connection fails its listeners, and the next listener connects again")
  func gone() async throws {
    try await run { client, courier in
      var streams: [CourierLine] = []
      courier.onOrder = { order, stream in
        streams.append(stream)
        Self.listens(order, stream)
      }
      let listener = try await client.listen(path: "/", timeout: .seconds(600))
      let waiting = listener.begin()
      streams[0].close()
      #expect(await waiting.value == .failure(.courierGone))
      #expect(await listener.outcome() == .failure(.courierGone))
      _ = try await client.listen(path: "/", timeout: .seconds(600))
      #expect(courier.connections == 2)
      courier.onOrder = { _, stream in stream.close() }
      #expect(await client.listenFailure() == .courierGone)
    }
  }

  @Test("a stopped client fails its listeners and opens no others")
  func stop() async throws {
    try await run { client, courier in
      courier.onOrder = Self.listens
      let waiting = try await client.listen(path: "/", timeout: .seconds(600)).begin()
      client.stop()
      #expect(await waiting.value == .failure(.courierGone))
      #expect(await client.listenFailure() == .courierGone)
    }
  }

  @Test("a courier that does not report the port is dropped")
  func hangingAtFirst() async throws {
    try await run(grace: .milliseconds(50)) { client, courier in
      #expect(await client.listenFailure() == .timeout)
      #expect(await client.listenFailure() == .timeout)
      #expect(courier.connections == 2)
    }
  }

  @Test("a courier that does not report a listener's timeout is dropped with all listeners")
  func hangingAtLast() async throws {
    try await run(grace: .seconds(15)) { client, courier in
      courier.onOrder = Self.listens
      let other = try await client.listen(path: "/", timeout: .seconds(600))
      let listener = try await client.listen(path: "/", timeout: .milliseconds(500))
      #expect(await listener.outcome() == .failure(.timeout))
      #expect(await other.outcome() == .failure(.courierGone))
      #expect(courier.connections == 1)
    }
  }

  @Test("a missing socket fails a listener at once")
  func absent() async throws {
    try await TestLoop.run {
      let client = CourierClient(.socket(path: "/nonexistent/courier.sock"), allowedOrigins: []) {}
      #expect(await client.listenFailure() == .courierGone)
    }
  }

  @EventLoop
  private static func listens(_ order: CourierOrder, _ stream: CourierLine) {
    if let id = order.listenID { stream.send(.listening(id, port: 1)) }
  }

  /// Orders arrive in order, so an order sent earlier has arrived when the last one does.
  @EventLoop
  private static func expectNoMoreOrders(
    than count: Int,
    _ client: CourierClient,
    _ courier: FakeCourier
  ) async throws {
    let last = try await client.listen(path: "/last", timeout: .seconds(600))
    #expect(courier.orders.count == count + 1)
    last.cancel()
  }
}
