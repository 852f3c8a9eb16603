public import ControlAPI
public import JSON

/// One line from the daemon, JSON-RPC 2.0 sections 4 and 5.
public enum DaemonMessage {
  /// The answer to a request; the id is `nil` when the daemon could not or would not read one.
  case reply(id: Int?, Result<JSON, DaemonError>)
  /// A change that was subscribed to.
  case event(Event)
  /// A notification of a kind that a newer daemon may have.
  case unknown

  // Results nest deeper than requests may: rpc.discover holds schemas.
  private static let maximumDepth = 128

  /// Reads a line; `nil` if the daemon would never write it.
  public init?(line: ArraySlice<UInt8>) {
    guard let message = try? JSON(parsing: line, maximumDepth: Self.maximumDepth), message["jsonrpc"] == "2.0"
    else { return nil }
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

/// The line that asks for a method which only the daemon has to know.
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

/// A change that was subscribed to.
public struct Event: Sendable {
  /// The whole of it, as it came.
  public let reply: Reply<ControlEvent>
  public let topic: String
  public let payload: JSON

  public static let method = ControlEvent.method

  public init?(_ params: JSON) {
    guard let event = try? ControlEvent(reading: params) else { return nil }
    (reply, topic, payload) = (Reply(json: params), event.topic, event.payload.json)
  }

  /// Whether it says that events before it were dropped.
  public var saysLost: Bool { topic == ControlEvent.lost }

  /// What changed, if it is of that topic and has the shape that is known of it.
  public func changed<Value: ControlValue>(_ topic: EventTopic, _: Value.Type = Value.self) -> Value? {
    self.topic == topic.rawValue ? try? Value(reading: payload) : nil
  }
}

/// The result of a call as it came; it is read where its content matters.
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
  /// The result of a method.
  public init<Method: ControlMethod>(json: JSON, of method: Method.Type) where Value == Method.Result {
    self.init(json: json, read: { (json) throws(UnreadableValue) in try Method.result(reading: json) })
  }

  /// A result of a method that was put together here.
  public init<Method: ControlMethod>(_ answer: Value, of method: Method.Type) where Value == Method.Result {
    self.init(json: Method.json(of: answer), of: method)
  }
}

extension Reply where Value: ControlValue {
  public init(json: JSON) {
    self.init(json: json, read: { (json) throws(UnreadableValue) in try Value(reading: json) })
  }

  /// A value that was put together here.
  public init(_ value: Value) { self.init(json: value.json) }
}

extension NotificationObject {
  /// Whether a person can be asked about it; a type that is not known yet may be.
  public var canBeAnswered: Bool {
    state == .pending && kind != .cancelled && kind != .done && kind != .test
  }

  /// Whether nothing more can become of it.
  public var isSettled: Bool { state != .pending && state != .sending }

  public var wantsNumber: Bool { content.numberMatching != nil }

  /// What the category of a push says about its buttons.
  public enum Buttons: Equatable {
    case ordinary
    case none
    /// The application is opened when it is approved.
    case opensApplication
    /// A category that is not known, by its name.
    case unknown(String)
  }

  /// By the names of Android's categories and of iOS's.
  public var buttons: Buttons {
    switch content.category {
    case nil, "auth", "BANNER_BUTTONS": .ordinary
    case "WITHOUT_BANNER_BUTTONS", "none": .none
    case "APPROVE_AND_OPEN_APP", "auth_open": .opensApplication
    case let name?: .unknown(name)
    }
  }
}
