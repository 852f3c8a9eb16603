import CourierLink
import CourierProtocol
import EventLoop
import TestCourier
import TestLoop
import Testing
import WebAddress

@Suite("subscriptions of the courier client", .timeLimit(.minutes(30)))
struct CourierSubscriptionTests {
  private func run(
    _ body: @escaping @EventLoop @Sendable (CourierClient, FakeCourier, WebURL) async throws -> Void
  ) async throws {
    let url = try #require(WebURL("https://ntfy.example/topic/json"))
    try await TestLoop.run {
      let courier = try FakeCourier()
      let client = CourierClient(.socket(path: courier.path), allowedOrigins: [], grace: .seconds(300)) {}
      try await body(client, courier, url)
      client.stop()
      courier.stop()
    }
  }

  private static func line(_ event: CourierSubscription.Event) -> String? {
    guard case .line(let bytes) = event else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("lines are returned in order, also those before the end")
  func order() async throws {
    try await run { client, courier, url in
      courier.onOrder = { order, stream in
        guard case .subscribe(let id, url) = order else { return }
        for text in ["a", "b"] { stream.send(.line(id, Array(text.utf8))) }
        stream.send(.response(id, CourierResponse(status: 200, headers: [], body: [])))
      }
      let subscription = try await client.subscribe(to: url)
      #expect(Self.line(try await subscription.next()) == "a")
      #expect(Self.line(try await subscription.next()) == "b")
      guard case .end(let response) = try await subscription.next() else { return #expect(Bool(false)) }
      #expect(response.status == 200)
      #expect(courier.orders.count == 1)
    }
  }

  @Test("a released subscription is cancelled")
  func release() async throws {
    try await run { client, courier, url in
      var subscription: CourierSubscription? = try await client.subscribe(to: url)
      _ = try await courier.orders(1)
      #expect(subscription != nil)
      subscription = nil
      guard case .cancel = try await courier.orders(2)[1] else { return #expect(Bool(false)) }
    }
  }

  @Test("more than 256 unread lines end a subscription")
  func flood() async throws {
    try await run { client, courier, url in
      courier.onOrder = { order, stream in
        guard case .subscribe(let id, _) = order else { return }
        for _ in 0..<257 { stream.send(.line(id, [0x61])) }
      }
      let subscription = try await client.subscribe(to: url)
      guard case .cancel = try await courier.orders(2)[1] else { return #expect(Bool(false)) }
      for _ in 0..<256 { #expect(Self.line(try await subscription.next()) == "a") }
      await #expect(throws: CourierFailure.busy) { try await subscription.next() }
    }
  }

  @Test("a closed connection fails its subscriptions")
  func gone() async throws {
    try await run { client, courier, url in
      courier.onOrder = { _, stream in stream.close() }
      let subscription = try await client.subscribe(to: url)
      await #expect(throws: CourierFailure.courierGone) { try await subscription.next() }
    }
  }
}
