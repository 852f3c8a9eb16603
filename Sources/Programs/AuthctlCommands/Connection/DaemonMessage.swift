internal import JSON

/// One line from the daemon.
enum DaemonMessage {
  /// The answer to a request; the id is `nil` when the daemon could not or would not read one.
  case reply(id: Int?, Result<JSON, DaemonError>)
  /// A change that was subscribed to.
  case event(Event)
  /// A notification of a kind that a newer daemon may have.
  case unknown

  /// Reads a line; `nil` if the daemon would never write it.
  init?(line: ArraySlice<UInt8>) {
    guard let message = try? JSON(parsing: line, maximumDepth: Self.maximumDepth), message["jsonrpc"] == "2.0"
    else { return nil }
    if message["id"] == nil {
      guard let method = message["method"]?.string else { return nil }
      guard method == "event" else {
        self = .unknown
        return
      }
      guard let event = Event(message["params"]) else { return nil }
      self = .event(event)
      return
    }
    guard message["method"] == nil, let id = message["id"], id.int != nil || id.isNull else { return nil }
    switch (message["result"], message["error"].map(Refusal.init)) {
    case (let result?, nil) where !id.isNull: self = .reply(id: id.int, .success(result))
    case (nil, let refusal??): self = .reply(id: id.int, .failure(DaemonError(refusal: refusal)))
    default: return nil
    }
  }

  // Results nest deeper than requests may: rpc.discover holds schemas.
  private static let maximumDepth = 128
}

/// What the daemon answered instead of a result.
struct DaemonError: Error {
  let refusal: Refusal
}

/// A change that was subscribed to.
struct Event: Sendable {
  let topic: String
  let payload: JSON
  /// The whole of it, as it came.
  let params: JSON

  init?(_ params: JSON?) {
    guard let params, let topic = params["topic"]?.string, let payload = params["payload"] else { return nil }
    self.topic = topic
    self.payload = payload
    self.params = params
  }

  /// Whether it says that events before it were dropped.
  var saysLost: Bool { topic == "lost" }
}
