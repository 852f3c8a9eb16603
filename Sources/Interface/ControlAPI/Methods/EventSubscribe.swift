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
