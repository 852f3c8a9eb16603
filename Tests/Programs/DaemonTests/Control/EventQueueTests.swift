import ControlAPI
import EventLoop
import JSON
import JSONRPC
import Synchronization
import TestLoop
import Testing
import Vault

@testable import Daemon

/// A value that counts its serializations.
private struct Counted: ControlValue {
  final class Count: Sendable {
    private let written = Mutex(0)

    var value: Int { written.withLock(\.self) }

    func add() { written.withLock { $0 += 1 } }
  }

  let count: Count

  static let schema = Schema.anything

  func write(to writer: inout JSONWriter) {
    count.add()
    writer.write("counted")
  }

  init(_ count: Count) { self.count = count }

  init(reading json: JSON) { count = Count() }
}

@Suite("event queue of a connection")
struct EventQueueTests {
  @Test("events arrive in order, numbered from one, for their owner and topics only")
  func order() async throws {
    try await TestLoop.run {
      let wire = try Wire()
      let all = try wire.subscribe()
      let some = try wire.subscribe([.pairing])
      for index in 0..<5 { wire.hub.publish(.notification, of: 1000, JSON.int(index)) }
      wire.hub.publish(.pairing, of: 1000, "p")
      wire.hub.publish(.pairing, of: 1001, "another owner's")
      let events = try await wire.read()
      let first = events.filter { $0["subscription"] == .string(all) }
      #expect(first.map { $0["payload"] } == [0, 1, 2, 3, 4, "p"])
      #expect(first.map { $0["sequence"] } == [1, 2, 3, 4, 5, 6])
      #expect(first.map { $0["topic"] }.last == "pairing")
      let second = events.filter { $0["subscription"] == .string(some) }
      #expect(second.map { $0["payload"] } == ["p"] && second.map { $0["sequence"] } == [1])
    }
  }

  @Test("no event is sent before the reply with its subscription id")
  func held() async throws {
    try await TestLoop.run {
      let wire = try Wire()
      let id = try wire.subscribe(releases: false)
      wire.hub.publish(.account, of: 1000, 1)
      #expect(try await wire.read().isEmpty)
      wire.queue.release(["another"])
      #expect(try await wire.read().isEmpty)
      wire.queue.release([id])
      #expect(try await wire.read().map { $0["payload"] } == [1])
    }
  }

  @Test("a reply is sent before events of the same loop iteration")
  func replyFirst() async throws {
    try await TestLoop.run {
      let (wire, other) = (try Wire(), try Wire())
      _ = try wire.subscribe()
      _ = try other.subscribe()
      wire.hub.publish(.account, of: 1000, 1)
      other.hub.publish(.account, of: 1000, 2)
      wire.reply(["id": 7])
      let lines = try await wire.readLines()
      #expect(lines.map { $0["id"] } == [7, nil] && lines.last?["params"]?["payload"] == 1)
      #expect(try await other.read().map { $0["payload"] } == [2])
    }
  }

  @Test("an event is serialized once for all subscribers, and not without subscribers")
  func writtenOnce() async throws {
    try await TestLoop.run {
      let count = Counted.Count()
      let wire = try Wire()
      wire.hub.publish(.account, of: 1000, Counted(count))
      #expect(count.value == 0)
      for _ in 0..<3 { _ = try wire.subscribe() }
      wire.hub.publish(.account, of: 1000, Counted(count))
      #expect(try await wire.read().map { $0["payload"] } == ["counted", "counted", "counted"])
      #expect(count.value == 1)
    }
  }

  @Test("a client that does not read loses the oldest events and first gets their number")
  func lost() async throws {
    try await TestLoop.run {
      let wire = try Wire()
      let id = try wire.subscribe(releases: false)
      for index in 0..<300 { wire.hub.publish(.notification, of: 1000, JSON.int(index)) }
      wire.queue.release([id])
      let events = try await wire.read()
      #expect(events.count == 257)
      #expect(events.first?["topic"] == "lost" && events.first?["payload"] == ["count": 44])
      #expect(events.dropFirst().map { $0["payload"]?.int } == Array(44..<300))
      #expect(events.map { $0["sequence"]?.int } == Array(1...257))
    }
  }

  @Test("a slow client gets events as the socket accepts them, and loses none")
  func slow() async throws {
    try await TestLoop.run {
      let wire = try Wire()
      _ = try wire.subscribe()
      let large = String(repeating: "x", count: 64 * 1024)
      for index in 0..<32 { wire.hub.publish(.notification, of: 1000, [JSON.int(index), .string(large)]) }
      let events = try await wire.read()
      #expect(events.map { $0["payload"]?.array?.first?.int } == Array(0..<32))
      #expect(events.map { $0["sequence"]?.int } == Array(1...32))
    }
  }

  @Test("events above the owner's memory limit displace the oldest, across subscriptions")
  func full() async throws {
    try await TestLoop.run {
      let wire = try Wire()
      let ids = [try wire.subscribe(releases: false), try wire.subscribe(releases: false)]
      let large = String(repeating: "x", count: 64 * 1024)
      for index in 0..<100 { wire.hub.publish(.notification, of: 1000, [JSON.int(index), .string(large)]) }
      wire.queue.release(ids)
      let events = Dictionary(grouping: try await wire.read()) { $0["subscription"]?.string ?? "" }
      var held = 0
      for id in ids {
        let heard = try #require(events[id])
        let lost = try #require(heard.first?["payload"]?["count"]?.int)
        let numbers = heard.dropFirst().map { $0["payload"]?.array?.first?.int }
        #expect(heard.first?["topic"] == "lost" && numbers == Array(lost..<100))
        held += numbers.count
      }
      #expect((44...48).contains(held), "as many as fit 3 MiB")
    }
  }

  @Test("pending events of an erased owner count as lost, and later ones arrive")
  func discarded() async throws {
    try await TestLoop.run {
      let wire = try Wire()
      let held = try wire.subscribe(releases: false)
      let other = try wire.subscribe(releases: false, owner: 1001)
      for index in 0..<5 { wire.hub.publish(.account, of: 1000, JSON.int(index)) }
      wire.hub.publish(.account, of: 1001, "another owner's")
      wire.hub.discard(1000)
      wire.hub.publish(.account, of: 1000, "after")
      wire.queue.release([held, other])
      let events = try await wire.read()
      let mine = events.filter { $0["subscription"] == .string(held) }
      #expect(mine.map { $0["payload"] } == [["count": 5], "after"])
      #expect(mine.map { $0["topic"] } == ["lost", "account"] && mine.map { $0["sequence"] } == [1, 2])
      #expect(
        events.filter { $0["subscription"] == .string(other) }.map { $0["payload"] } == ["another owner's"]
      )
    }
  }

  @Test(
    "many subscriptions each get every event once, and only a slow one loses events"
  )
  func many() async throws {
    try await TestLoop.run {
      let wire = try Wire()
      let wires = [wire] + (try (0..<9).map { _ in try Wire(wire.hub) })
      var ids: [[String]] = []
      for wire in wires { ids.append(try (0..<16).map { _ in try wire.subscribe() }) }
      let slow = try Wire(wire.hub)
      let lagging = try slow.subscribe(releases: false)
      for index in 0..<300 { wire.hub.publish(.notification, of: 1000, JSON.int(index)) }
      for (wire, ids) in zip(wires, ids) {
        let events = Dictionary(grouping: try await wire.read()) { $0["subscription"]?.string ?? "" }
        #expect(Set(events.keys) == Set(ids))
        for heard in events.values {
          #expect(heard.map { $0["payload"]?.int } == Array(0..<300))
          #expect(heard.map { $0["sequence"]?.int } == Array(1...300))
        }
      }
      slow.queue.release([lagging])
      let events = try await slow.read()
      #expect(events.first?["payload"] == ["count": 44])
      #expect(events.map { $0["sequence"]?.int } == Array(1...257))
    }
  }

  @Test("an ended subscription gets no events, and another connection's cannot be ended")
  func ended() async throws {
    try await TestLoop.run {
      let (wire, other) = (try Wire(), try Wire())
      let id = try wire.subscribe()
      #expect(!other.queue.unsubscribe(id))
      #expect(wire.queue.unsubscribe(id))
      #expect(!wire.queue.unsubscribe(id))
      #expect(wire.queue.isEmpty)
      wire.hub.publish(.account, of: 1000, 1)
      #expect(try await wire.read().isEmpty)
    }
  }

  @Test("a connection has at most sixteen subscriptions, and closing it ends them")
  func quota() async throws {
    try await TestLoop.run {
      let wire = try Wire()
      for _ in 0..<16 { _ = try wire.subscribe() }
      #expect(throws: RPCError.quota(16, "subscriptions of this connection")) {
        try wire.queue.subscribe(owner: 1000, topics: [], to: wire.hub)
      }
      wire.queue.close()
      #expect(wire.queue.isEmpty)
      _ = try wire.subscribe()
    }
  }

  @Test("a queue is released when its subscriptions have ended")
  func letGo() async throws {
    try await TestLoop.run {
      weak var queue: EventQueue?
      let hub = EventHub()
      do {
        let wire = try Wire(hub)
        queue = wire.queue
        #expect(wire.queue.unsubscribe(try wire.subscribe()))
        _ = try wire.subscribe()
        wire.queue.close()
      }
      #expect(queue == nil)
    }
  }
}
