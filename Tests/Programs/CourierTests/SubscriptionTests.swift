import Configuration
import Courier
import CourierProtocol
import EventLoop
import Glibc
import TestLoop
import TestNetwork
import Testing
import WebAddress

@Suite("courier subscriptions", .timeLimit(.minutes(30)))
struct SubscriptionTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  private func relay() throws -> String { "push_relay = http://127.0.0.1:\(server.port)" }

  /// Waits until the server's counter has this value.
  @EventLoop
  private func reaches(_ counter: String, _ value: Int) async throws {
    let peer = try TestPeer(of: Courier(server.url("/")))
    #expect(try await peer.get(server.url("/await/\(counter)/\(value)")) == .answer(200, "\(value)"))
  }

  @Test("lines are passed on one by one, followed by the end")
  func lines() async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier(settings: relay()))
      peer.subscribe(try server.url("/lines/3"))
      for number in 0..<3 { #expect(await peer.next() == .line("line \(number)")) }
      #expect(await peer.next() == .answer(200, ""))
    }
  }

  @Test("an error response of a relay is passed on")
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

  @Test("a relay that sends only oversized lines is disconnected")
  func endless() async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier(settings: relay()))
      peer.subscribe(try server.url("/around/1200000"))
      #expect(await peer.next() == .line("before"))
      #expect(await peer.next() == .failure(.tooLarge))
    }
  }

  @Test(
    "a line may have 64 KiB, and a longer one is skipped",
    arguments: [65_536, 65_537, 600_000]
  )
  func longLine(count: Int) async throws {
    try await TestLoop.run {
      let peer = try TestPeer(of: Courier(settings: relay()))
      peer.subscribe(try server.url("/around/\(count)"))
      #expect(await peer.next() == .line("before"))
      if count <= 65_536 { #expect(await peer.next() == .line(String(repeating: "x", count: count))) }
      #expect(await peer.next() == .line("after"))
      #expect(await peer.next() == .answer(200, ""))
    }
  }

  @Test("subscriptions are allowed only at relays, and relays allow only subscriptions")
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

  @Test("a cancelled subscription, or one of a disconnected peer, is closed at the relay")
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

  /// The pending timers with their handlers.
  @EventLoop
  private final class Alarms {
    private(set) var set: [Int: (after: Duration, ring: @EventLoop () -> Void)] = [:]
    private(set) var count = 0

    func add(_ delay: Duration, _ handler: @escaping @EventLoop () -> Void) -> @EventLoop () -> Void {
      let number = count
      (set[number], count) = ((delay, handler), count + 1)
      return { [weak self] in self?.set[number] = nil }
    }
  }

  @Test("a relay that is silent for two minutes times out, and data restarts the timer")
  func silence() async throws {
    try await TestLoop.run {
      let alarms = Alarms()
      let courier = Courier(
        try Configuration(for: [], settings: relay()),
        permittedUsers: [geteuid()],
        idleTime: nil
      ) { alarms.add($0, $1) }
      let peer = try TestPeer(of: courier)
      peer.subscribe(try server.url("/lines/2"))
      for number in 0..<2 { #expect(await peer.next() == .line("line \(number)")) }
      #expect(await peer.next() == .answer(200, ""))
      // One timer at the start and one for each received part. None is left after the end.
      #expect(alarms.count > 1 && alarms.set.isEmpty)
      peer.subscribe(try server.url("/hold"))
      try await reaches("held", 1)
      let alarm = try #require(alarms.set.values.first)
      #expect(alarms.set.count == 1 && alarm.after == .seconds(120))
      alarm.ring()
      #expect(await peer.next() == .failure(.timeout))
      try await reaches("left", 1)
    }
  }

  @Test("at most 64 subscriptions of all peers exist")
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
