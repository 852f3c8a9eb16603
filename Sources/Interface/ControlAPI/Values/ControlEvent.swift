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
