internal import Authenticator
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import UnixSockets

/// The subscriptions of one connection and the events that wait for them.
///
/// A client that does not keep up loses the oldest events and is told how many.
@EventLoop
final class EventQueue {
  private struct Subscriber {
    let subscription: EventHub.Subscription
    let hub: EventHub
    var sequence = 0
    var queued: [(topic: String, payload: JSON)] = []
    var lost = 0
    /// False until the reply that made the subscription is on its way.
    var isReleased = false
  }

  private let stream: StreamConnection
  private var subscribers: [String: Subscriber] = [:]
  private var new: [String] = []

  private static let capacity = 256
  private static let unsentLimit = 256 * 1024
  /// The most subscriptions of a connection.
  static let maximumSubscriptions = 16

  init(_ stream: StreamConnection) { self.stream = stream }

  var isEmpty: Bool { subscribers.isEmpty }

  /// Adds a subscription; its events wait until the reply that makes it known is on its way.
  func subscribe(owner: uid_t, topics: Set<EventTopic>, to hub: EventHub) throws -> String {
    guard subscribers.count < Self.maximumSubscriptions else {
      throw RPCError.quota.with(["limit": .int(Self.maximumSubscriptions)])
    }
    let id = try Authenticator.makeID()
    let subscription = hub.subscribe(
      owner: owner,
      topics: topics,
      deliver: { [weak self] in self?.deliver($0.rawValue, $1, to: id) },
      discard: { [weak self] in self?.discard(id) }
    )
    subscribers[id] = Subscriber(subscription: subscription, hub: hub)
    new.append(id)
    return id
  }

  /// Ends a subscription; false if this connection has none of that id.
  func unsubscribe(_ id: String) -> Bool {
    guard let subscriber = subscribers.removeValue(forKey: id) else { return false }
    subscriber.hub.cancel(subscriber.subscription)
    return true
  }

  func close() {
    for id in Array(subscribers.keys) { _ = unsubscribe(id) }
  }

  /// The subscriptions that were added since this was asked last.
  func takeNew() -> [String] {
    defer { new = [] }
    return new
  }

  /// Lets the events go of subscriptions whose reply is on its way.
  func release(_ ids: [String]) {
    guard !ids.isEmpty else { return }
    for id in ids { subscribers[id]?.isReleased = true }
    flush()
  }

  /// Sends what waits, as far as the client takes it.
  func flush() {
    for id in subscribers.keys.sorted() {
      while let subscriber = subscribers[id], subscriber.isReleased, stream.unsentCount < Self.unsentLimit {
        if subscriber.lost > 0 {
          subscribers[id]?.lost = 0
          send("lost", ["count": .int(subscriber.lost)], to: id)
        } else if let (topic, payload) = subscriber.queued.first {
          subscribers[id]?.queued.removeFirst()
          send(topic, payload, to: id)
        } else {
          break
        }
      }
    }
  }

  private func deliver(_ topic: String, _ payload: JSON, to id: String) {
    subscribers[id]?.queued.append((topic, payload))
    if let count = subscribers[id]?.queued.count, count > Self.capacity {
      subscribers[id]?.queued.removeFirst()
      subscribers[id]?.lost += 1
    }
    flush()
  }

  /// Forgets what waits; the client is told how many it will not hear.
  private func discard(_ id: String) {
    guard let count = subscribers[id]?.queued.count else { return }
    subscribers[id]?.lost += count
    subscribers[id]?.queued = []
    flush()
  }

  /// Sends one event, numbered as it leaves, so that a client sees the numbers rise by one.
  private func send(_ topic: String, _ payload: JSON, to id: String) {
    let sequence = (subscribers[id]?.sequence ?? 0) + 1
    subscribers[id]?.sequence = sequence
    let line = RPCReply.notification(
      method: "event",
      params: [
        "subscription": .string(id), "topic": .string(topic), "sequence": .int(sequence), "payload": payload,
      ]
    )
    stream.send(line + [UInt8(ascii: "\n")])
  }
}
