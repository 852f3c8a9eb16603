public import ControlAPI
public import JSON

/// One line from the daemon, JSON-RPC 2.0 sections 4 and 5.
public enum DaemonMessage {
  /// The reply to a request; the id is `nil` if the daemon could not read it.
  case reply(id: Int?, Result<JSON, DaemonError>)
  /// An event of a subscription.
  case event(Event)
  /// An unknown notification, which a newer daemon may send.
  case unknown

  // Results may nest deeper than requests, because rpc.discover contains schemas.
  private static let maximumDepth = 128

  /// Reads a line; `nil` if it does not follow the daemon's protocol.
  public init?(line: ArraySlice<UInt8>) {
    let message = try? JSON(parsing: line, maximumDepth: Self.maximumDepth, maximumValues: .max)
    guard let message, message["jsonrpc"] == "2.0" else { return nil }
    if let id = message["id"] { self.init(reply: message, id) } else { self.init(notification: message) }
  }

  private init?(reply message: JSON, _ id: JSON) {
    guard message["method"] == nil, id.int != nil || id.isNull else { return nil }
    switch (message["result"], message["error"].map(DaemonError.init)) {
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

/// A call of a method by its name, which this client need not know.
public struct NamedCall {
  public let method: String
  public let params: JSONObject

  public init(method: String, params: JSONObject) { (self.method, self.params) = (method, params) }

  public func request(id: Int) -> [UInt8] {
    var request: JSONObject = ["jsonrpc": "2.0", "id": .int(id), "method": .string(method)]
    if !params.isEmpty { request["params"] = .object(params) }
    return JSON.object(request).serialized
  }
}

/// An event of a subscription.
public struct Event: Sendable {
  /// The whole event as received.
  public let reply: Reply<ControlEvent>
  public let topic: String
  public let payload: JSON

  public static let method = ControlEvent.method

  public init?(_ params: JSON) {
    guard let event = try? ControlEvent(reading: params) else { return nil }
    (reply, topic, payload) = (Reply(json: params), event.topic, event.payload.json)
  }

  /// True if this event reports that the daemon dropped earlier events.
  public var saysLost: Bool { topic == ControlEvent.lost }

  /// Returns the payload if the event has this topic and the payload has this shape.
  public func changed<Value: ControlValue>(_ topic: EventTopic, _: Value.Type = Value.self) -> Value? {
    self.topic == topic.rawValue ? try? Value(reading: payload) : nil
  }
}

/// The result of a call as received; `value` decodes it.
public struct Reply<Value: Sendable>: Sendable {
  public let json: JSON
  private let read: @Sendable (JSON) throws(UnreadableValue) -> Value

  public var value: Value {
    get throws(Failure) {
      do { return try read(json) } catch { throw .notTheDaemon }
    }
  }
}

extension Reply {
  /// Takes the result of a method.
  public init<Method: ControlMethod>(json: JSON, of method: Method.Type) where Value == Method.Result {
    self.init(json: json, read: { (json) throws(UnreadableValue) in try Method.result(reading: json) })
  }

  /// Takes a result that the client built.
  public init<Method: ControlMethod>(_ answer: Value, of method: Method.Type) where Value == Method.Result {
    self.init(json: Method.json(of: answer), of: method)
  }
}

extension Reply where Value: ControlValue {
  public init(json: JSON) {
    self.init(json: json, read: { (json) throws(UnreadableValue) in try Value(reading: json) })
  }

  /// Takes a value that the client built.
  public init(_ value: Value) { self.init(json: value.json) }
}

extension NotificationObject {
  /// True if the user can decide the push, even if this client does not know its kind.
  public var canBeAnswered: Bool {
    state == .pending && kind != .cancelled && kind != .done && kind != .test
  }

  /// True if its state is final.
  public var isSettled: Bool { state != .pending && state != .sending }

  public var wantsNumber: Bool { content.numberMatching != nil }

  /// The buttons that the category of a push selects.
  public enum Buttons: Equatable {
    case ordinary
    case none
    /// An approval opens the application.
    case opensApplication
    /// An unknown category, with its name.
    case unknown(String)
  }

  /// The buttons, by the category names of Android and iOS.
  public var buttons: Buttons {
    switch content.category {
    case nil, "auth", "BANNER_BUTTONS": .ordinary
    case "WITHOUT_BANNER_BUTTONS", "none": .none
    case "APPROVE_AND_OPEN_APP", "auth_open": .opensApplication
    case let name?: .unknown(name)
    }
  }
}
