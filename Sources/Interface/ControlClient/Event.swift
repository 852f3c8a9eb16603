package import ControlAPI
package import JSON

/// A change that was subscribed to.
package struct Event: Sendable {
  /// The whole of it, as it came.
  package let reply: Reply<ControlEvent>
  package let topic: String
  package let payload: JSON

  package static let method = ControlEvent.method

  package init?(_ params: JSON) {
    guard let event = try? ControlEvent(reading: params) else { return nil }
    (reply, topic, payload) = (Reply(json: params), event.topic, event.payload.json)
  }

  /// Whether it says that events before it were dropped.
  package var saysLost: Bool { topic == ControlEvent.lost }

  /// What changed, if it is of that topic and has the shape that is known of it.
  package func changed<Value: ControlValue>(_ topic: EventTopic, _: Value.Type = Value.self) -> Value? {
    self.topic == topic.rawValue ? try? Value(reading: payload) : nil
  }
}
