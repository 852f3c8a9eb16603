package import JSON

/// One line from the daemon, JSON-RPC 2.0 sections 4 and 5.
package enum DaemonMessage {
  /// The answer to a request; the id is `nil` when the daemon could not or would not read one.
  case reply(id: Int?, Result<JSON, Refusal>)
  /// A change that was subscribed to.
  case event(Event)
  /// A notification of a kind that a newer daemon may have.
  case unknown

  // Results nest deeper than requests may: rpc.discover holds schemas.
  private static let maximumDepth = 128

  /// Reads a line; `nil` if the daemon would never write it.
  package init?(line: ArraySlice<UInt8>) {
    guard let message = try? JSON(parsing: line, maximumDepth: Self.maximumDepth), message["jsonrpc"] == "2.0"
    else { return nil }
    if let id = message["id"] { self.init(reply: message, id) } else { self.init(notification: message) }
  }

  private init?(reply message: JSON, _ id: JSON) {
    guard message["method"] == nil, id.int != nil || id.isNull else { return nil }
    switch (message["result"], message["error"].map(Refusal.init)) {
    case (let result?, nil) where !id.isNull: self = .reply(id: id.int, .success(result))
    case (nil, let refusal??): self = .reply(id: id.int, .failure(refusal))
    default: return nil
    }
  }

  private init?(notification message: JSON) {
    guard let method = message["method"]?.string else { return nil }
    guard method == Event.method else {
      self = .unknown
      return
    }
    guard let event = message["params"].flatMap(Event.init) else { return nil }
    self = .event(event)
  }
}

/// The line that asks for a method which only the daemon has to know.
package struct NamedCall {
  package let method: String
  package let params: JSONObject

  package init(method: String, params: JSONObject) { (self.method, self.params) = (method, params) }

  package func request(id: Int) -> [UInt8] {
    var request: JSONObject = ["jsonrpc": "2.0", "id": .int(id), "method": .string(method)]
    if !params.isEmpty { request["params"] = .object(params) }
    return JSON.object(request).serialized
  }
}
