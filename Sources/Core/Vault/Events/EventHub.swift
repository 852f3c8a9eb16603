public import ControlAPI
public import EventLoop
public import Glibc

/// Notifies subscribers of changes; each subscriber receives only changes of its owner's objects.
@EventLoop
public final class EventHub {
  /// A subscriber, until it is cancelled.
  @EventLoop
  public final class Subscription {
    fileprivate let owner: uid_t
    fileprivate let topics: Set<EventTopic>
    fileprivate let deliver: @EventLoop (EventTopic, RawJSON) -> Void
    fileprivate let discard: @EventLoop () -> Void

    fileprivate init(
      owner: uid_t,
      topics: Set<EventTopic>,
      deliver: @escaping @EventLoop (EventTopic, RawJSON) -> Void,
      discard: @escaping @EventLoop () -> Void
    ) {
      (self.owner, self.topics, self.deliver, self.discard) = (owner, topics, deliver, discard)
    }
  }

  private var subscriptions: [uid_t: [ObjectIdentifier: Subscription]] = [:]

  public nonisolated init() {}

  /// Calls `deliver` for each change of the owner's objects in these topics; an empty set means all topics.
  ///
  /// `discard` is called when the subscriber must drop delivered changes that it has not passed on yet.
  public func subscribe(
    owner: uid_t,
    topics: Set<EventTopic>,
    deliver: @escaping @EventLoop (EventTopic, RawJSON) -> Void,
    discard: @escaping @EventLoop () -> Void = {}
  ) -> Subscription {
    let topics = topics.isEmpty ? Set(EventTopic.allCases) : topics
    let subscription = Subscription(owner: owner, topics: topics, deliver: deliver, discard: discard)
    subscriptions[owner, default: [:]][ObjectIdentifier(subscription)] = subscription
    return subscription
  }

  public func cancel(_ subscription: Subscription) {
    let owner = subscription.owner
    subscriptions[owner]?[ObjectIdentifier(subscription)] = nil
    if subscriptions[owner]?.isEmpty == true { subscriptions[owner] = nil }
  }

  /// Makes subscribers drop an owner's changes that they have not passed on yet.
  public func discard(_ owner: uid_t) {
    for subscription in all(of: owner) { subscription.discard() }
  }

  /// True if a subscription covers this owner and topic.
  public func hasSubscribers(to topic: EventTopic, of owner: uid_t) -> Bool {
    all(of: owner).contains { $0.topics.contains(topic) }
  }

  /// Sends an object to its subscribers in the form in which the `get` or `list` method returns it.
  ///
  /// The object is serialized only once.
  public func publish(_ topic: EventTopic, of owner: uid_t, _ payload: @autoclosure () -> some ControlValue) {
    let receivers = all(of: owner).filter { $0.topics.contains(topic) }
    guard !receivers.isEmpty else { return }
    let payload = RawJSON(payload())
    for receiver in receivers { receiver.deliver(topic, payload) }
  }

  private func all(of owner: uid_t) -> [Subscription] { subscriptions[owner].map { Array($0.values) } ?? [] }
}
