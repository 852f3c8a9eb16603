internal import Connections
internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import Vault

/// The subscriptions of one connection and their queued events.
///
/// A client that reads too slowly loses the oldest events and is notified of their number.
@EventLoop
final class EventQueue {
  private final class Subscriber {
    let id: String
    /// Cancels the subscription at the hub.
    ///
    /// Set once.
    var cancel: @EventLoop () -> Void = {}
    var sequence = 0
    var queued: [(topic: String, payload: RawJSON)] = []
    var lost = 0
    /// False until the reply with the subscription's ID is queued for sending.
    var isReleased = false

    init(_ id: String) { self.id = id }
  }

  private let stream: StreamConnection
  private let share: ConnectionMemory
  private var subscribers: [Subscriber] = []
  private var new: [String] = []
  private var willFlush = false

  private static let capacity = 256
  private static let burst = 16
  private static let unsentLimit = 256 * 1024
  /// Maximum number of subscriptions per connection.
  static let maximumSubscriptions = 16

  init(_ stream: StreamConnection, _ share: ConnectionMemory) { (self.stream, self.share) = (stream, share) }

  var isEmpty: Bool { subscribers.isEmpty }

  /// Adds a subscription.
  ///
  /// Its events wait until the reply with its ID is queued for sending.
  func subscribe(owner: uid_t, topics: Set<EventTopic>, to hub: EventHub) throws -> String {
    guard subscribers.count < Self.maximumSubscriptions else {
      throw RPCError.quota(Self.maximumSubscriptions, "subscriptions of this connection")
    }
    let subscriber = Subscriber(try OpaqueID.make())
    let subscription = hub.subscribe(
      owner: owner,
      topics: topics,
      // Weak, since the subscriber retains its subscription.
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

  /// Ends a subscription.
  ///
  /// Returns false if this connection has no subscription with that ID.
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

  /// Returns the subscriptions added since the last call.
  func takeNew() -> [String] {
    defer { new = [] }
    return new
  }

  /// Allows sending the events of subscriptions after their replies are queued for sending.
  func release(_ ids: [String]) {
    guard !ids.isEmpty else { return }
    for subscriber in subscribers where ids.contains(subscriber.id) { subscriber.isReleased = true }
    flush()
  }

  /// Sends queued events until too much unsent data waits for the client.
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

  /// True if another event may be sent.
  ///
  /// If the owner has no memory left for events, the client must first read everything queued for it.
  private var takesMore: Bool {
    stream.unsentCount < (share.hasRoomForEvents ? Self.unsentLimit : 1)
  }

  /// Sends queued events after the replies of this loop iteration, so that a client first gets the reply to
  /// its own call.
  private func flushAfterReplies() {
    guard !willFlush else { return }
    willFlush = true
    // Replies are sent at the end of the loop iteration, in the order of their creation.
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
    // Send a burst immediately: the backlog of one subscription must not use the memory of another.
    if subscriber.queued.count > Self.burst { flush() } else { flushAfterReplies() }
    // Events cannot be refused at their source. Drop the oldest ones to leave memory for the owner's
    // requests.
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

  /// Drops queued events.
  ///
  /// The client is notified of their number.
  private func discard(_ subscriber: Subscriber) {
    while takeOldest(of: subscriber) != nil { subscriber.lost += 1 }
    flushAfterReplies()
  }

  /// Sends one event.
  ///
  /// An event gets its number only now, so that numbers stay consecutive if events were dropped.
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
