import Courier
import CourierProtocol
import EventLoop
import TestLoop
import TestNetwork
import Testing
import WebAddress

@Suite("Subscriptions of the courier", .timeLimit(.minutes(10)))
struct SubscriptionTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  private func relay() throws -> String { "push_relay = http://127.0.0.1:\(server.port)" }

  /// Waits until the server has counted so many.
  @EventLoop
  private func reaches(_ counter: String, _ value: Int) async throws {
    let peer = try TestPeer(of: Courier(server.url("/")))
    #expect(try await peer.get(server.url("/await/\(counter)/\(value)")) == .answer(200, "\(value)"))
  }

  @Test("lines are handed on one by one, and the end is told")
  func lines() async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier(settings: relay()))
      peer.subscribe(try server.url("/lines/3"))
      for number in 0..<3 { #expect(await peer.next() == .line("line \(number)")) }
      #expect(await peer.next() == .answer(200, ""))
    }
  }

  @Test("a relay that refuses is told as it answers")
  func refusal() async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier(settings: relay()))
      peer.subscribe(try server.url("/nothing"))
      #expect(await peer.next() == .answer(404, ""))
      peer.subscribe(try server.url("/redirect"))
      #expect(await peer.next() == .answer(302, ""))
      peer.subscribe(try server.url("/drop"))
      #expect(await peer.next() == .failure(.unreachable))
    }
  }

  @Test("a line has an end within 64 KiB")
  func longLine() async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier(settings: relay()))
      peer.subscribe(try server.url("/stream/66560"))
      #expect(await peer.next() == .failure(.tooLarge))
    }
  }

  @Test("there are subscriptions at relays only, and nothing but subscriptions there")
  func origins() async throws {
    try await TestLoop.run {
      let courier = try Courier(try server.url("/"))
      let peer = try TestPeer(of: courier)
      peer.subscribe(try server.url("/lines/1"))
      #expect(await peer.next() == .failure(.refusedOrigin))
      let other = try TestPeer(of: Courier(settings: relay()))
      #expect(try await other.get(server.url("/hello")) == .failure(.refusedOrigin))
    }
  }

  @Test("one that is cancelled, or whose peer leaves, ends at the relay too")
  func cancel() async throws {
    try await TestLoop.run {
      let courier = try Courier(settings: relay())
      let peer = try TestPeer(of: courier)
      let id = peer.subscribe(try server.url("/hold"))
      try await reaches("held", 1)
      peer.send(.cancel(id))
      #expect(await peer.next() == .failure(.cancelled))
      try await reaches("left", 1)
      peer.subscribe(try server.url("/hold"))
      try await reaches("held", 2)
      peer.close()
      try await reaches("left", 2)
    }
  }

  @Test("sixty-four are held, all peers together")
  func busy() async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier(settings: relay()))
      var ids: [ExchangeID] = []
      for _ in 0..<64 { ids.append(peer.subscribe(try server.url("/hold"))) }
      peer.subscribe(try server.url("/hold"))
      #expect(await peer.next() == .failure(.busy))
      peer.send(.cancel(ids[0]))
      #expect(await peer.next() == .failure(.cancelled))
      peer.subscribe(try server.url("/lines/1"))
      #expect(await peer.next() == .line("line 0"))
    }
  }
}
