import CourierProtocol
import EventLoop
import TestCourier
import TestLoop
import TestNetwork
import Testing
import WebAddress

@testable import CourierLink

/// The client with a scripted courier.
@Suite("courier client", .timeLimit(.minutes(30)))
struct CourierClientTests {
  private let url: WebURL

  init() throws { url = try #require(WebURL("https://example.com/a")) }

  private func run(
    grace: Duration = .seconds(300),
    _ body: @escaping @EventLoop @Sendable (CourierClient, FakeCourier) async throws -> Void
  ) async throws {
    try await TestLoop.run {
      let courier = try FakeCourier()
      let endpoint = CourierEndpoint.socket(path: courier.path)
      let client = CourierClient(endpoint, allowedOrigins: [url.origin], grace: grace) {}
      try await body(client, courier)
      client.stop()
      courier.stop()
    }
  }

  @Test("responses are matched to requests in any order")
  func order() async throws {
    try await run { client, courier in
      var held: [(ExchangeID, CourierLine)] = []
      courier.onOrder = { order, stream in
        guard let id = order.requestID else { return }
        held.append((id, stream))
        guard held.count == 3 else { return }
        for (id, stream) in held.reversed() { stream.send(.response(id, .text("\(id.rawValue)"))) }
      }
      let tasks = (0..<3).map { _ in client.begin(url) }
      var answers: [Outcome] = []
      for task in tasks { answers.append(await task.value) }
      let ids = try await courier.orders(3).compactMap { $0.requestID?.rawValue }
      #expect(answers == ids.map { .answer("\($0)") })
      #expect(courier.connections == 1)
    }
  }

  @Test("disallowed and malformed requests are not sent")
  func refused() async throws {
    try await run { client, courier in
      let other = try #require(WebURL("https://example.com:444/a"))
      #expect(await client.get(other) == .failure(.refusedOrigin))
      let injected = CourierRequest(.get, url, headers: [CourierHeader("X-A", "1\r\nX-B: 2")])
      #expect(await client.outcome(injected) == .failure(.malformed))
      let large = CourierRequest(.post, url, body: [UInt8](repeating: 0, count: 700 * 1024 + 1))
      #expect(await client.outcome(large) == .failure(.tooLarge))
      client.allow([])
      #expect(await client.get(url) == .failure(.refusedOrigin))
      #expect(courier.connections == 0 && courier.orders.isEmpty)
    }
  }

  @Test("each courier failure is returned to the caller", arguments: CourierFailure.allCases)
  func failures(failure: CourierFailure) async throws {
    try await run { client, courier in
      courier.onOrder = { order, stream in
        if let id = order.requestID { stream.send(.failure(id, failure)) }
      }
      #expect(await client.get(url) == .failure(failure))
    }
  }

  @Test("cancelling a task cancels its request")
  func cancel() async throws {
    try await run { client, courier in
      let task = client.begin(url)
      let id = try #require(try await courier.orders(1)[0].requestID)
      task.cancel()
      #expect(await task.value == .failure(.cancelled))
      guard case .cancel(id) = try await courier.orders(2)[1] else { return #expect(Bool(false)) }
    }
  }

  @Test(
    "28 ordinary requests to one origin run, 64 wait and the next is rejected, but decisions are still sent"
  )
  func limits() async throws {
    try await run { client, courier in
      var held: [(ExchangeID, CourierLine)] = []
      courier.onOrder = { order, stream in
        if let id = order.requestID { held.append((id, stream)) }
      }
      let places =
        CourierQueue.mostOfOneOrigin - CourierQueue.reservedForDecisions - CourierQueue.reservedForPolls
      let tasks = (0..<places + CourierQueue.mostWaiting).map { _ in client.begin(url) }
      _ = try await courier.orders(places)
      #expect(await client.get(url) == .failure(.busy))
      #expect(held.count == places)
      // A waiting request is cancelled locally. A finished request frees its slot for the next one.
      tasks[80].cancel()
      #expect(await tasks[80].value == .failure(.cancelled))
      held[0].1.send(.response(held[0].0, .text("first")))
      #expect(await tasks[0].value == .answer("first"))
      _ = try await courier.orders(places + 1)
      #expect(held.count == places + 1)
      client.stop()
      for task in tasks[1...] where await task.value != .failure(.courierGone) {
        #expect(await task.value == .failure(.cancelled))
      }
    }
  }

  @Test("a reply without a pending request is ignored")
  func unknownReply() async throws {
    try await run { client, courier in
      courier.onOrder = { order, stream in
        guard let id = order.requestID else { return }
        stream.send(.response(id.next.next, .text("whose?")))
        stream.send(.response(id, .text("mine")))
        stream.send(.response(id, .text("again")))
      }
      for _ in 0..<2 { #expect(await client.get(url) == .answer("mine")) }
      #expect(courier.connections == 1)
    }
  }

  @Test(
    "an invalid reply drops the connection, and the next request connects again",
    arguments: [
      [0, 0x10, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF, 0], [0, 0, 0, 1, 0x7B], Array("HTTP/1.1 400 Bad\r\n".utf8),
    ] as [[UInt8]]
  )
  func garbage(bytes: [UInt8]) async throws {
    try await run { client, courier in
      courier.onOrder = { [unowned courier] order, stream in
        guard let id = order.requestID else { return }
        if courier.connections == 1, courier.orders.count == 2 { stream.send(bytes) }
        if courier.connections == 2 { stream.send(.response(id, .text("sane"))) }
      }
      let tasks = (0..<2).map { _ in client.begin(url) }
      for task in tasks { #expect(await task.value == .failure(.courierGone)) }
      #expect(await client.get(url) == .answer("sane"))
    }
  }

  @Test("a closed connection fails pending requests, and the next request connects again")
  func gone() async throws {
    try await run { client, courier in
      courier.onOrder = { [unowned courier] order, stream in
        guard let id = order.requestID else { return }
        if courier.connections == 1 { stream.close() } else { stream.send(.response(id, .text("back"))) }
      }
      #expect(await client.get(url) == .failure(.courierGone))
      #expect(await client.get(url) == .answer("back"))
    }
  }

  @Test("a hanging courier is dropped after the request's timeout and the grace period")
  func hanging() async throws {
    try await run(grace: .milliseconds(50)) { client, courier in
      courier.onOrder = { [unowned courier] order, stream in
        guard let id = order.requestID, courier.connections == 2 else { return }
        stream.send(.response(id, .text("awake")))
      }
      let other = client.begin(url)
      _ = try await courier.orders(1)
      #expect(await client.get(url, timeout: .milliseconds(50)) == .failure(.timeout))
      #expect(await other.value == .failure(.courierGone))
      #expect(await client.get(url) == .answer("awake"))
    }
  }

  @Test("a missing socket fails a request at once")
  func absent() async throws {
    try await TestLoop.run {
      let endpoint = CourierEndpoint.socket(path: "/nonexistent/courier.sock")
      let client = CourierClient(endpoint, allowedOrigins: [url.origin]) {}
      let outcome = await client.get(url)
      #expect(outcome == .failure(.courierGone))
      client.stop()
      #expect(await client.get(url) == .failure(.courierGone))
    }
  }
}
