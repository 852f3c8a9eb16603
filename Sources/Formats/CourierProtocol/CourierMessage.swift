internal import JSON
internal import Time
public import WebAddress

/// The number that relates a response to its request; the client chooses a unique number per connection.
public struct ExchangeID: RawRepresentable, Hashable, Sendable {
  /// The number, at least 1.
  public let rawValue: Int

  /// Creates an id; `nil` unless the number is from 1 to 2^53 - 1, which all JSON readers represent exactly.
  public init?(rawValue: Int) {
    guard (1...Self.maximum).contains(rawValue) else { return nil }
    self.rawValue = rawValue
  }

  private init(unchecked rawValue: Int) { self.rawValue = rawValue }

  /// The first id of a connection.
  public static let first = ExchangeID(unchecked: 1)

  /// The id after this one, starting again at 1 after the maximum.
  public var next: ExchangeID { ExchangeID(unchecked: rawValue % Self.maximum + 1) }

  private static let maximum = 1 << 53 - 1
}

/// A message from `mfad` to the courier.
public enum CourierOrder: Sendable {
  /// Asks the courier to send a request and to reply with the response.
  case request(ExchangeID, CourierRequest)
  /// Asks the courier to wait for a redirect. The courier replies with the port immediately, and with the
  /// query when the redirect arrives.
  case listen(ExchangeID, ExpectedRedirect)
  /// Asks the courier to subscribe to a relay. The courier sends each line as it arrives, and reports the end
  /// of the subscription.
  case subscribe(ExchangeID, WebURL)
  /// Cancels a request, a redirect or a subscription.
  case cancel(ExchangeID)
}

/// A message from the courier to `mfad`.
public enum CourierReply: Sendable {
  case response(ExchangeID, CourierResponse)
  /// The courier waits for the redirect on this loopback port. Another reply follows with its result.
  case listening(ExchangeID, port: UInt16)
  /// A line of a subscription. A response or a failure ends the subscription later.
  case line(ExchangeID, [UInt8])
  /// The redirect arrived with this query, unchanged. The port stays open until the exchange is cancelled.
  case redirected(ExchangeID, query: String)
  /// The exchange failed.
  case failure(ExchangeID, CourierFailure)
}

/// The reason why an order is invalid.
public enum CourierOrderError: Error, Equatable {
  /// The order can be answered with this failure.
  case refused(ExchangeID, CourierFailure)
  /// The order has no exchange id. The connection is closed.
  case unreadable
}

/// An invalid reply; the connection is closed.
public struct CourierReplyUnreadable: Error {}

extension CourierOrder {
  /// The message as bytes, without its frame.
  public var serialized: [UInt8] {
    switch self {
    case .request(let id, let request): request.json(id: id).serialized
    case .listen(let id, let redirect): redirect.json(id: id).serialized
    case .subscribe(let id, let url):
      JSON.object(["subscribe": .int(id.rawValue), "url": .string(url.text)]).serialized
    case .cancel(let id): JSON.object(["cancel": .int(id.rawValue)]).serialized
    }
  }

  public init(parsing bytes: ArraySlice<UInt8>) throws(CourierOrderError) {
    guard let object = (try? JSON(parsing: bytes))?.object else { throw .unreadable }
    if object.names == ["cancel"], let id = ExchangeID(json: object["cancel"]) {
      self = .cancel(id)
      return
    }
    if object["id"] == nil, let id = ExchangeID(json: object["listen"]) {
      guard let redirect = ExpectedRedirect(object), redirect.problem == nil else {
        throw .refused(id, .malformed)
      }
      self = .listen(id, redirect)
      return
    }
    if object["id"] == nil, let id = ExchangeID(json: object["subscribe"]) {
      guard Set(object.names) == ["subscribe", "url"], let url = object["url"]?.string.flatMap({ WebURL($0) })
      else { throw .refused(id, .malformed) }
      self = .subscribe(id, url)
      return
    }
    guard let id = ExchangeID(json: object["id"]) else { throw .unreadable }
    guard let request = CourierRequest(object) else { throw .refused(id, .malformed) }
    if let problem = request.problem { throw .refused(id, problem) }
    self = .request(id, request)
  }
}

extension CourierReply {
  /// The message as bytes, without its frame.
  public var serialized: [UInt8] {
    switch self {
    case .response(let id, let response):
      JSON.object([
        "id": .int(id.rawValue), "status": .int(response.status), "headers": response.headers.json,
        "body": .string(PaddedBase64.encode(response.body)),
      ]).serialized
    case .listening(let id, let port):
      JSON.object(["id": .int(id.rawValue), "listening": .int(Int(port))]).serialized
    case .line(let id, let line):
      JSON.object(["id": .int(id.rawValue), "line": .string(PaddedBase64.encode(line))]).serialized
    case .redirected(let id, let query):
      JSON.object(["id": .int(id.rawValue), "query": .string(query)]).serialized
    case .failure(let id, let failure):
      JSON.object(["id": .int(id.rawValue), "failure": .string(failure.rawValue)]).serialized
    }
  }

  public init(parsing bytes: ArraySlice<UInt8>) throws(CourierReplyUnreadable) {
    guard let object = (try? JSON(parsing: bytes))?.object, let id = ExchangeID(json: object["id"]) else {
      throw CourierReplyUnreadable()
    }
    if object.names == ["id", "failure"], let name = object["failure"]?.string,
      let failure = CourierFailure(rawValue: name)
    {
      self = .failure(id, failure)
      return
    }
    if object.names == ["id", "listening"], let number = object["listening"]?.int,
      let port = UInt16(exactly: number), port > 0
    {
      self = .listening(id, port: port)
      return
    }
    if object.names == ["id", "query"], let query = object["query"]?.string, ExpectedRedirect.isQuery(query) {
      self = .redirected(id, query: query)
      return
    }
    if object.names == ["id", "line"], let line = object["line"]?.string.flatMap(PaddedBase64.decode),
      line.count <= CourierLimits.maximumLine
    {
      self = .line(id, line)
      return
    }
    guard Set(object.names) == ["id", "status", "headers", "body"],
      let status = object["status"]?.int, (100...599).contains(status),
      let headers = [CourierHeader](json: object["headers"]),
      let body = object["body"]?.string.flatMap(PaddedBase64.decode), body.count <= CourierLimits.maximumBody
    else { throw CourierReplyUnreadable() }
    self = .response(id, CourierResponse(status: status, headers: headers, body: body))
  }
}

extension CourierRequest {
  fileprivate init?(_ object: JSONObject) {
    guard Set(object.names) == ["id", "method", "url", "headers", "body", "timeout"],
      let method = object["method"]?.string.flatMap(Method.init), let text = object["url"]?.string,
      let url = WebURL(text), let headers = [CourierHeader](json: object["headers"]),
      let body = object["body"]?.string.flatMap(PaddedBase64.decode),
      let milliseconds = object["timeout"]?.int,
      (1...1_000_000).contains(milliseconds)
    else { return nil }
    self.init(method, url, headers: headers, body: body, timeout: .milliseconds(milliseconds))
  }

  fileprivate func json(id: ExchangeID) -> JSON {
    [
      "id": .int(id.rawValue), "method": .string(method.rawValue), "url": .string(url.text),
      "headers": headers.json, "body": .string(PaddedBase64.encode(body)),
      "timeout": .int(Int(timeout.millisecondsRoundedUp)),
    ]
  }
}

extension ExpectedRedirect {
  fileprivate init?(_ object: JSONObject) {
    guard Set(object.names) == ["listen", "path", "state", "timeout"], let path = object["path"]?.string,
      let stateDigest = object["state"]?.string.flatMap(PaddedBase64.decode),
      let milliseconds = object["timeout"]?.int, (1...1_000_000).contains(milliseconds)
    else { return nil }
    self.init(path: path, stateDigest: stateDigest, timeout: .milliseconds(milliseconds))
  }

  fileprivate func json(id: ExchangeID) -> JSON {
    [
      "listen": .int(id.rawValue), "path": .string(path), "state": .string(PaddedBase64.encode(stateDigest)),
      "timeout": .int(Int(timeout.millisecondsRoundedUp)),
    ]
  }
}

extension [CourierHeader] {
  fileprivate init?(json: JSON?) {
    guard let fields = json?.array else { return nil }
    self = []
    for field in fields {
      guard let pair = field.array, pair.count == 2, let name = pair[0].string, let value = pair[1].string
      else {
        return nil
      }
      append(CourierHeader(name, value))
    }
  }

  fileprivate var json: JSON { .array(map { [.string($0.name), .string($0.value)] }) }
}

extension ExchangeID {
  fileprivate init?(json: JSON?) {
    guard let number = json?.int else { return nil }
    self.init(rawValue: number)
  }
}
