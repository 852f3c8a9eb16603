public import JSONRPC

public struct EventSubscribe: ControlMethod {
  public static let name = "event.subscribe"
  public static let access = AccessClass.read
  public static let summary = "sends the caller an event line for each change of its own things"
  public static let errors: [RPCError] = [.quota]
  public static let parameters = Shape(
    { (topics: [EventTopic]) in EventSubscribe(topics: Set(topics)) },
    .optional(
      "topics",
      \.orderedTopics,
      default: [],
      "what to hear of; without topics everything"
    )
  )
  public static let envelope: Shape<String>? = .member(
    "subscription",
    as: .identifier,
    "what each of its events names"
  )
  public static var example: Example<Self> { Example(EventSubscribe(topics: [.notification]), "s1") }

  /// None of them means all.
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
    .required("subscription", \.subscription, as: .identifier, "what event.subscribe gave")
  )
  public static var example: Example<Self> { Example(EventUnsubscribe(subscription: "s1"), Nothing()) }

  public typealias Result = Nothing

  public let subscription: String

  public init(subscription: String) { self.subscription = subscription }
}

/// The params of an `event`: a change of one of the caller's own things.
public struct ControlEvent: ControlObject {
  /// The name of the JSON-RPC notification that carries it.
  public static let method = "event"
  /// The topic of an event that tells how many others were dropped, as `LostEvents`.
  public static let lost = "lost"

  public let subscription: String
  /// An `EventTopic`, or `lost`.
  public let topic: String
  /// Counts the events of the subscription from one.
  public let sequence: Int
  /// The thing as its `get` or `list` gives it; of `lost` a count.
  public let payload: RawJSON

  public init(subscription: String, topic: String, sequence: Int, payload: RawJSON) {
    (self.subscription, self.topic) = (subscription, topic)
    (self.sequence, self.payload) = (sequence, payload)
  }

  public static let shape = Shape(
    "Event",
    ControlEvent.init(subscription:topic:sequence:payload:),
    .required("subscription", \.subscription, as: .identifier, "what event.subscribe gave"),
    .required("topic", \.topic, as: .text(maximum: 64), "what changed; lost: events were dropped"),
    .required("sequence", \.sequence, "counts the events of the subscription from one"),
    .required("payload", \.payload, "the thing as its get or list gives it; of lost {count}")
  )
}

/// What an event is about.
public enum EventTopic: String, ControlChoice {
  case notification, pairing, authentication, account, service
}

/// What is told instead of events that a client was too slow for.
public struct LostEvents: ControlObject, Equatable {
  public let count: Int

  public init(count: Int) { self.count = count }

  public static let shape = Shape(
    LostEvents.init(count:),
    .required("count", \.count, "how many were dropped, the oldest first")
  )
}
