internal import ControlAPI
internal import JSON

/// A change that was subscribed to.
struct Event: Sendable {
  /// The whole of it, as it came.
  let reply: Reply<ControlEvent>
  let topic: String
  let payload: JSON

  static let method = ControlEvent.method

  init?(_ params: JSON) {
    guard let event = try? ControlEvent(reading: params) else { return nil }
    (reply, topic, payload) = (Reply(json: params), event.topic, event.payload.json)
  }

  /// Whether it says that events before it were dropped.
  var saysLost: Bool { topic == ControlEvent.lost }

  /// What changed, if it is of that topic and has the shape that is known of it.
  func changed<Value: ControlValue>(_ topic: EventTopic, _: Value.Type = Value.self) -> Value? {
    self.topic == topic.rawValue ? try? Value(reading: payload) : nil
  }
}
