internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import UnixSockets
internal import Vault

/// The subscriptions of one connection and the events that wait for them.
///
/// A client that does not keep up loses the oldest events and is told how many.
@EventLoop
final class EventQueue {
  private struct Subscriber {
    let subscription: EventHub.Subscription
    let hub: EventHub
    var sequence = 0
    var queued: [(topic: String, payload: RawJSON)] = []
    var lost = 0
    /// False until the reply that made the subscription is on its way.
    var isReleased = false
  }

  private let stream: StreamConnection
  private let share: MemoryShare
  private var subscribers: [String: Subscriber] = [:]
  private var new: [String] = []
  private var willFlush = false

  private static let capacity = 256
  private static let burst = 16
  private static let unsentLimit = 256 * 1024
  /// The most subscriptions of a connection.
  static let maximumSubscriptions = 16

  init(_ stream: StreamConnection, _ share: MemoryShare) { (self.stream, self.share) = (stream, share) }

  var isEmpty: Bool { subscribers.isEmpty }

  /// Adds a subscription; its events wait until the reply that makes it known is on its way.
  func subscribe(owner: uid_t, topics: Set<EventTopic>, to hub: EventHub) throws -> String {
    guard subscribers.count < Self.maximumSubscriptions else {
      throw RPCError.quota.with(["limit": .int(Self.maximumSubscriptions)])
    }
    let id = try OpaqueID.make()
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
    for event in subscriber.queued { share.events -= Self.size(of: event) }
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
      while let subscriber = subscribers[id], subscriber.isReleased, takesMore {
        if subscriber.lost > 0 {
          subscribers[id]?.lost = 0
          send(ControlEvent.lost, RawJSON(LostEvents(count: subscriber.lost)), to: id)
        } else if let (topic, payload) = takeOldest(of: id) {
          send(topic, payload, to: id)
        } else {
          break
        }
      }
    }
  }

  /// Whether more is to be sent; without room only a client that has taken everything is sent something.
  private var takesMore: Bool {
    stream.unsentCount < (share.hasRoomForEvents ? Self.unsentLimit : 1)
  }

  /// Sends what waits when the replies of this turn are on their way, so that who caused it hears that first.
  private func flushAfterReplies() {
    guard !willFlush else { return }
    willFlush = true
    // The replies leave at the end of the turn, in the order in which they were made.
    EventLoop.atEndOfTurn {
      EventLoop.atEndOfTurn {
        self.willFlush = false
        self.flush()
      }
    }
  }

  private func deliver(_ topic: String, _ payload: RawJSON, to id: String) {
    subscribers[id]?.queued.append((topic, payload))
    share.events += Self.size(of: (topic, payload))
    // Many at once leave as they come: what one subscription holds back must not cost another its share of the room.
    if waitingCount(id) > Self.burst { flush() } else { flushAfterReplies() }
    // Nobody can be kept from making events, so that the oldest make room for the owner's other things.
    while waitingCount(id) > Self.capacity || !share.hasRoomForEvents, takeOldest(of: id) != nil {
      subscribers[id]?.lost += 1
    }
  }

  private func takeOldest(of id: String) -> (topic: String, payload: RawJSON)? {
    guard waitingCount(id) > 0, let event = subscribers[id]?.queued.removeFirst() else { return nil }
    share.events -= Self.size(of: event)
    return event
  }

  private static func size(of event: (topic: String, payload: RawJSON)) -> Int {
    MemoryLayout.size(ofValue: event) + event.payload.bytes.count
  }

  private func waitingCount(_ id: String) -> Int { subscribers[id]?.queued.count ?? 0 }

  /// Forgets what waits; the client is told how many it will not hear.
  private func discard(_ id: String) {
    while takeOldest(of: id) != nil { subscribers[id]?.lost += 1 }
    flushAfterReplies()
  }

  /// Sends one event, numbered as it leaves, so that a client sees the numbers rise by one.
  private func send(_ topic: String, _ payload: RawJSON, to id: String) {
    let sequence = (subscribers[id]?.sequence ?? 0) + 1
    subscribers[id]?.sequence = sequence
    let event = ControlEvent(subscription: id, topic: topic, sequence: sequence, payload: payload)
    var line = RPCReply.notification(ControlEvent.method) { event.write(to: &$0) }
    line.append(UInt8(ascii: "\n"))
    stream.send(line)
  }
}
