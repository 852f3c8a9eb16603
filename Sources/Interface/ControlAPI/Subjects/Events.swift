package import JSONRPC

package struct EventSubscribe: ControlMethod {
  package static let name = "event.subscribe"
  package static let access = AccessClass.read
  package static let summary = "sends the caller an event line for each change of its own things"
  package static let errors: [RPCError] = [.quota]
  package static let parameters = Shape(
    { (topics: [EventTopic]) in EventSubscribe(topics: Set(topics)) },
    .optional(
      "topics",
      \.orderedTopics,
      default: [],
      "what to hear of; without topics everything"
    )
  )
  package static let envelope: Shape<String>? = .member(
    "subscription",
    as: .identifier,
    "what each of its events names"
  )
  package static var example: Example<Self> { Example(EventSubscribe(topics: [.notification]), "s1") }

  /// None of them means all.
  package let topics: Set<EventTopic>

  package init(topics: Set<EventTopic> = []) { self.topics = topics }

  private var orderedTopics: [EventTopic] { EventTopic.allCases.filter { topics.contains($0) } }
}

package struct EventUnsubscribe: ControlMethod {
  package static let name = "event.unsubscribe"
  package static let access = AccessClass.read
  package static let summary = "ends a subscription of this connection"
  package static let errors: [RPCError] = [.notFound]
  package static let parameters = Shape(
    EventUnsubscribe.init(subscription:),
    .required("subscription", \.subscription, as: .identifier, "what event.subscribe gave")
  )
  package static var example: Example<Self> { Example(EventUnsubscribe(subscription: "s1"), Nothing()) }

  package typealias Result = Nothing

  package let subscription: String

  package init(subscription: String) { self.subscription = subscription }
}

/// The params of an `event`: a change of one of the caller's own things.
package struct ControlEvent: ControlObject {
  /// The name of the JSON-RPC notification that carries it.
  package static let method = "event"
  /// The topic of an event that tells how many others were dropped, as `LostEvents`.
  package static let lost = "lost"

  package let subscription: String
  /// An `EventTopic`, or `lost`.
  package let topic: String
  /// Counts the events of the subscription from one.
  package let sequence: Int
  /// The thing as its `get` or `list` gives it; of `lost` a count.
  package let payload: RawJSON

  package init(subscription: String, topic: String, sequence: Int, payload: RawJSON) {
    (self.subscription, self.topic) = (subscription, topic)
    (self.sequence, self.payload) = (sequence, payload)
  }

  package static let shape = Shape(
    "Event",
    ControlEvent.init(subscription:topic:sequence:payload:),
    .required("subscription", \.subscription, as: .identifier, "what event.subscribe gave"),
    .required("topic", \.topic, as: .text(maximum: 64), "what changed; lost: events were dropped"),
    .required("sequence", \.sequence, "counts the events of the subscription from one"),
    .required("payload", \.payload, "the thing as its get or list gives it; of lost {count}")
  )
}

/// What an event is about.
package enum EventTopic: String, ControlChoice {
  case notification, pairing, authentication, account, service
}

/// What is told instead of events that a client was too slow for.
package struct LostEvents: ControlObject, Equatable {
  package let count: Int

  package init(count: Int) { self.count = count }

  package static let shape = Shape(
    LostEvents.init(count:),
    .required("count", \.count, "how many were dropped, the oldest first")
  )
}
