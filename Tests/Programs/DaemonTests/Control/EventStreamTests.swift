import ControlAPI
import EventLoop
import Fixtures
import Interleaving
import JSON
import TestLoop
import Testing
import Vault

@testable import Daemon

/// A connection with subscriptions, and a client that reads at its own pace.
@EventLoop
private final class Client {
  /// The expected and received events of a subscription.
  struct Subscription {
    let owner: UInt32
    let topics: Set<EventTopic>
    /// Numbers of published events that the subscription has not received yet, the oldest first.
    var outstanding: [Int] = []
    var sequence = 0
    var isReleased = false
  }

  private(set) var subscriptions: [String: Subscription] = [:]
  private let wire: Wire
  private let fail: @EventLoop (String) -> Void

  init(_ hub: EventHub, fail: @escaping @EventLoop (String) -> Void) throws {
    self.fail = fail
    wire = try Wire(hub)
  }

  func subscribe(_ owner: UInt32, _ topics: Set<EventTopic>) throws {
    guard subscriptions.count < EventQueue.maximumSubscriptions else { return }
    let id = try wire.queue.subscribe(owner: owner, topics: topics, to: wire.hub)
    subscriptions[id] = Subscription(
      owner: owner,
      topics: topics.isEmpty ? Set(EventTopic.allCases) : topics
    )
  }

  /// Sends the reply that contains the new subscription ids.
  func release() {
    let new = wire.queue.takeNew()
    for id in new { subscriptions[id]?.isReleased = true }
    wire.queue.release(new)
  }

  func unsubscribe(_ id: String) {
    if !wire.queue.unsubscribe(id) { fail("a subscription was not known") }
    subscriptions[id] = nil
  }

  func note(_ number: Int, _ topic: EventTopic, of owner: UInt32) {
    for (id, subscription) in subscriptions
    where subscription.owner == owner && subscription.topics.contains(topic) {
      subscriptions[id]?.outstanding.append(number)
    }
  }

  func close() { wire.close() }

  /// Reads at most `limit` bytes and returns the number of bytes read.
  func read(_ limit: Int) throws -> Int {
    let (count, lines) = try wire.read(upTo: limit)
    for line in lines { try take(try #require(line["params"])) }
    return count
  }

  private func take(_ event: JSON) throws {
    let id = try #require(event["subscription"]?.string)
    // An event of an ended subscription may still arrive.
    guard let subscription = subscriptions[id] else { return }
    if !subscription.isReleased { fail("an event came before its subscription was known") }
    if event["sequence"]?.int != subscription.sequence + 1 { fail("a number is missing") }
    subscriptions[id]?.sequence += 1
    if event["topic"] == "lost" {
      let count = try #require(event["payload"]?["count"]?.int)
      if count < 1 || count > subscription.outstanding.count { fail("\(count) are said to be lost") }
      subscriptions[id]?.outstanding.removeFirst(min(count, subscription.outstanding.count))
    } else {
      // An unreported gap fails this check.
      let number = event["payload"]?.array?.first?.int
      if number != subscription.outstanding.first { fail("an event came out of its order") }
      if !subscription.outstanding.isEmpty { subscriptions[id]?.outstanding.removeFirst() }
    }
  }
}

/// Clients and published events, determined by a seed.
@EventLoop
private final class StreamScenario: Scenario {
  private let hub = EventHub()
  var numbers: SeededNumbers
  private var clients: [Client] = []
  private var published = 0
  var story: [String]
  private let texts = [0, 200, 2000, 20_000].map { String(repeating: "x", count: $0) }

  init(_ seed: UInt64, on bench: Void) {
    numbers = SeededNumbers(seed)
    story = ["seed \(seed)"]
  }

  func run() async throws {
    for _ in 0..<Int.random(in: 1...6, using: &numbers) {
      clients.append(try Client(hub) { [self] in fail($0) })
    }
    for _ in 0..<Int.random(in: 10...60, using: &numbers) { try await step() }
    // From here on all clients read everything.
    for client in clients { client.release() }
    var idle = 0
    while idle < 3 {
      await TestLoop.turn()
      let counts = try clients.map { try $0.read(1 << 18) }
      idle = counts.contains { $0 > 0 } ? 0 : idle + 1
    }
    for (index, client) in clients.enumerated() {
      let isWhole = client.subscriptions.values.allSatisfy(\.outstanding.isEmpty)
      expect(isWhole, "client \(index) waits for more")
      client.close()
    }
  }

  private func step() async throws {
    let index = Int.random(in: clients.indices, using: &numbers)
    let client = clients[index]
    switch Int.random(in: 0..<12, using: &numbers) {
    case 0, 1:
      let owner = UInt32.random(in: 1000...1001, using: &numbers)
      let topics = Set(EventTopic.allCases.filter { _ in Int.random(in: 0..<3, using: &numbers) == 0 })
      story.append("\(index) subscribes to \(topics.map(\.rawValue).sorted()) of \(owner)")
      try client.subscribe(owner, topics)
    case 2, 3: client.release()
    case 4 where Int.random(in: 0..<3, using: &numbers) == 0:
      guard let id = client.subscriptions.keys.sorted().randomElement(using: &numbers) else { return }
      story.append("\(index) ends one")
      client.unsubscribe(id)
    case 5 where Int.random(in: 0..<4, using: &numbers) == 0:
      story.append("an owner is erased")
      hub.discard(UInt32.random(in: 1000...1001, using: &numbers))
    case 6, 7:
      let limit = [100, 5000, 200_000].randomElement(using: &numbers) ?? 0
      story.append("\(index) reads \(limit)")
      for _ in 0..<Int.random(in: 1...5, using: &numbers) {
        _ = try client.read(limit)
        await TestLoop.turn()
      }
    default: publish(Int.random(in: 1...120, using: &numbers))
    }
    if Bool.random(using: &numbers) { await TestLoop.turn() }
  }

  private func publish(_ count: Int) {
    let text = texts.randomElement(using: &numbers) ?? ""
    let number = text.utf8.count > 5000 ? count / 10 + 1 : count
    story.append("\(number) events of \(text.utf8.count)")
    for _ in 0..<number {
      let topic = EventTopic.allCases.randomElement(using: &numbers) ?? .account
      let owner = UInt32.random(in: 1000...1001, using: &numbers)
      published += 1
      for client in clients { client.note(published, topic, of: owner) }
      hub.publish(topic, of: owner, [JSON.int(published), .string(text)])
    }
  }
}

@Suite("events for many clients that read at their own pace", .timeLimit(.minutes(Seeds.scaled(30))))
struct EventStreamTests {
  @Test("each subscription gets all events in order, or the number of lost ones", arguments: 0..<4)
  func streams(block: Int) async throws {
    try await StreamScenario.play(block: block, of: 10) {}
  }
}
