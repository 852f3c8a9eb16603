package import JSON
package import JSONRPC

/// Sends the caller an event line for each change of its own things.
package struct EventSubscribe: ControlMethod {
  package static let name = "event.subscribe"
  package static let access = AccessClass.read
  package static let summary = "sends the caller an event line for each change of its own things"
  package static let parameters: [Property] = [
    .optional("topics", .array(.choice(EventTopic.allCases.map(\.rawValue))))
  ]

  /// The id of the subscription.
  package struct Answer: ControlValue {
    package static let schema = Schema.object([.required("subscription", .identifier)])

    /// The id of the subscription.
    package let subscription: String

    package var json: JSON { ["subscription": .string(subscription)] }

    /// The id of the subscription.
    package init(subscription: String) { self.subscription = subscription }
  }

  /// What to hear of; empty means everything.
  package let topics: Set<EventTopic>

  package init(_ parameters: Parameters) throws(RPCError) {
    let names = parameters.optionalValue("topics")?.array ?? []
    topics = Set(names.compactMap { $0.string.flatMap(EventTopic.init(rawValue:)) })
  }
}
