internal import Connections
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import Vault

/// The subscriptions of one connection and the events that wait for them.
///
/// A client that does not keep up loses the oldest events and is told how many.
@EventLoop
final class EventQueue {
  private final class Subscriber {
    let id: String
    /// Ends what it hears; given once.
    var cancel: @EventLoop () -> Void = {}
    var sequence = 0
    var queued: [(topic: String, payload: RawJSON)] = []
    var lost = 0
    /// False until the reply that made the subscription is on its way.
    var isReleased = false

    init(_ id: String) { self.id = id }
  }

  private let stream: StreamConnection
  private let share: MemoryShare
  private var subscribers: [Subscriber] = []
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
      throw RPCError.quota(Self.maximumSubscriptions, "subscriptions of this connection")
    }
    let subscriber = Subscriber(try OpaqueID.make())
    let subscription = hub.subscribe(
      owner: owner,
      topics: topics,
      // The subscriber holds its subscription, so that this may not hold the subscriber.
      deliver: { [weak self, weak subscriber] in
        if let self, let subscriber { self.deliver($0.rawValue, $1, to: subscriber) }
      },
      discard: { [weak self, weak subscriber] in
        if let self, let subscriber { self.discard(subscriber) }
      }
    )
    subscriber.cancel = { hub.cancel(subscription) }
    subscribers.append(subscriber)
    new.append(subscriber.id)
    return subscriber.id
  }

  /// Ends a subscription; false if this connection has none of that id.
  func unsubscribe(_ id: String) -> Bool {
    guard let index = subscribers.firstIndex(where: { $0.id == id }) else { return false }
    let subscriber = subscribers.remove(at: index)
    for event in subscriber.queued { share.events -= Self.size(of: event) }
    subscriber.cancel()
    return true
  }

  func close() {
    for subscriber in subscribers { _ = unsubscribe(subscriber.id) }
  }

  /// The subscriptions that were added since this was asked last.
  func takeNew() -> [String] {
    defer { new = [] }
    return new
  }

  /// Lets the events go of subscriptions whose reply is on its way.
  func release(_ ids: [String]) {
    guard !ids.isEmpty else { return }
    for subscriber in subscribers where ids.contains(subscriber.id) { subscriber.isReleased = true }
    flush()
  }

  /// Sends what waits, as far as the client takes it.
  func flush() {
    for subscriber in subscribers {
      while subscriber.isReleased, takesMore {
        if subscriber.lost > 0 {
          let lost = RawJSON(LostEvents(count: subscriber.lost))
          subscriber.lost = 0
          send(ControlEvent.lost, lost, to: subscriber)
        } else if let (topic, payload) = takeOldest(of: subscriber) {
          send(topic, payload, to: subscriber)
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

  private func deliver(_ topic: String, _ payload: RawJSON, to subscriber: Subscriber) {
    subscriber.queued.append((topic, payload))
    share.events += Self.size(of: (topic, payload))
    // Many at once leave as they come: what one subscription holds back must not cost another its share of the room.
    if subscriber.queued.count > Self.burst { flush() } else { flushAfterReplies() }
    // Nobody can be kept from making events, so that the oldest make room for the owner's other things.
    while subscriber.queued.count > Self.capacity || !share.hasRoomForEvents,
      takeOldest(of: subscriber) != nil
    {
      subscriber.lost += 1
    }
  }

  private func takeOldest(of subscriber: Subscriber) -> (topic: String, payload: RawJSON)? {
    guard !subscriber.queued.isEmpty else { return nil }
    let event = subscriber.queued.removeFirst()
    share.events -= Self.size(of: event)
    return event
  }

  private static func size(of event: (topic: String, payload: RawJSON)) -> Int {
    MemoryLayout.size(ofValue: event) + event.payload.bytes.count
  }

  /// Forgets what waits; the client is told how many it will not hear.
  private func discard(_ subscriber: Subscriber) {
    while takeOldest(of: subscriber) != nil { subscriber.lost += 1 }
    flushAfterReplies()
  }

  /// Sends one event, numbered as it leaves, so that a client sees the numbers rise by one.
  private func send(_ topic: String, _ payload: RawJSON, to subscriber: Subscriber) {
    subscriber.sequence += 1
    let event = ControlEvent(
      subscription: subscriber.id,
      topic: topic,
      sequence: subscriber.sequence,
      payload: payload
    )
    let line = RPCReply.notification(ControlEvent.method) { event.write(to: &$0) }
    stream.send(line)
  }
}
