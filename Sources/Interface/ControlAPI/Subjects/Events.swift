public import JSONRPC

public struct EventSubscribe: ControlMethod {
  public static let name = "event.subscribe"
  public static let access = AccessClass.read
  public static let summary = "sends the caller an event for each change of its own objects"
  public static let errors: [RPCError] = [.quota]
  public static let parameters = Shape(
    { (topics: [EventTopic]) in EventSubscribe(topics: Set(topics)) },
    .optional(
      "topics",
      \.orderedTopics,
      default: [],
      "the topics; empty: all"
    )
  )
  public static let envelope: Shape<String>? = .member(
    "subscription",
    as: .identifier,
    "the id, which its events contain"
  )
  public static var example: Example<Self> { Example(EventSubscribe(topics: [.notification]), "s1") }

  /// Empty for all topics.
  public let topics: Set<EventTopic>

  public init(topics: Set<EventTopic> = []) { self.topics = topics }

  private var orderedTopics: [EventTopic] { EventTopic.allCases.filter { topics.contains($0) } }
}

public struct EventUnsubscribe: ControlMethod {
  public static let name = "event.unsubscribe"
  public static let access = AccessClass.read
  public static let summary = "ends a subscription of this connection"
  public static let errors: [RPCError] = [.notFound]
  public static let parameters = Shape(
    EventUnsubscribe.init(subscription:),
    .required("subscription", \.subscription, as: .identifier, "the id from event.subscribe")
  )
  public static var example: Example<Self> { Example(EventUnsubscribe(subscription: "s1"), Nothing()) }

  public typealias Result = Nothing

  public let subscription: String

  public init(subscription: String) { self.subscription = subscription }
}

/// The params of an `event`: a change of one of the caller's own objects.
public struct ControlEvent: ControlObject {
  /// The name of the JSON-RPC notification that carries an event.
  public static let method = "event"
  /// The topic of an event that reports dropped events, with a `LostEvents` as payload.
  public static let lost = "lost"

  public let subscription: String
  /// An `EventTopic`, or `lost`.
  public let topic: String
  /// Number of the event in its subscription, from 1.
  public let sequence: Int
  /// The changed object as the subject's `get` or `list` returns it; for `lost` a `LostEvents`.
  public let payload: RawJSON

  public init(subscription: String, topic: String, sequence: Int, payload: RawJSON) {
    (self.subscription, self.topic) = (subscription, topic)
    (self.sequence, self.payload) = (sequence, payload)
  }

  public static let shape = Shape(
    "Event",
    ControlEvent.init(subscription:topic:sequence:payload:),
    .required("subscription", \.subscription, as: .identifier, "the id from event.subscribe"),
    .required("topic", \.topic, as: .text(maximum: 64), "the topic; lost: events were dropped"),
    .required("sequence", \.sequence, "the event's number in the subscription, from 1"),
    .required("payload", \.payload, "the object as its get or list returns it; for lost {count}")
  )
}

public enum EventTopic: String, ControlChoice {
  case notification, pairing, authentication, account, service
}

/// The payload of a `lost` event: the client read too slowly, so the daemon dropped events.
public struct LostEvents: ControlObject, Equatable {
  public let count: Int

  public init(count: Int) { self.count = count }

  public static let shape = Shape(
    LostEvents.init(count:),
    .required("count", \.count, "the number of dropped events, oldest first")
  )
}
