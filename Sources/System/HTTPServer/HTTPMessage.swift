internal import WebAddress

/// A complete request.
public struct HTTPRequest: Sendable {
  /// The method exactly as it was sent.
  public let method: String
  /// The request target exactly as it was sent: path and query.
  public let target: String
  public let headers: HTTPHeaders
  /// The content; empty if there is none.
  public let body: [UInt8]

  /// A request from its parts.
  public init(method: String, target: String, headers: HTTPHeaders, body: [UInt8]) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
  }

  /// The target up to its question mark, as it was sent.
  public var path: Substring { target.prefix { $0 != "?" } }

  /// The parameters of the query; `nil` for an invalid escape or invalid UTF-8.
  public var query: [(String, String)]? {
    guard let mark = target.firstIndex(of: "?") else { return [] }
    return FormEncoding.decode(target[target.index(after: mark)...])
  }
}

/// The response of the server.
public struct HTTPResponse: Sendable {
  public var status: Int
  /// The header fields, except for the fields that libmicrohttpd adds.
  public var headers: HTTPHeaders
  public var body: [UInt8]

  /// A response from its parts.
  public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// The server's reaction to a request: a response, or a fault for tests.
public enum HTTPReply: Sendable {
  case response(HTTPResponse)
  /// Closes the connection without sending anything.
  case dropConnection
  /// Sends these bytes unchanged and closes the connection.
  case rawBytes([UInt8])
}

/// The header fields of a message, in their order; names compare without regard to case.
public struct HTTPHeaders: Sendable {
  /// The fields as they are sent or received.
  public private(set) var fields: [(name: String, value: String)]

  /// Fields from names and values.
  public init(_ fields: [(String, String)] = []) { self.fields = fields.map { (name: $0.0, value: $0.1) } }

  /// Adds a field after the existing ones, even if one has the same name.
  public mutating func add(_ name: String, _ value: String) { fields.append((name: name, value: value)) }

  /// Returns the value of the first field of this name.
  public subscript(_ name: String) -> String? { values(name).first }

  /// Returns the values of all fields of this name.
  public func values(_ name: String) -> [String] {
    let wanted = name.lowercased()
    return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
  }

  /// The media type of the content without its parameters, in lower case.
  public var mediaType: String? {
    guard let value = self["content-type"] else { return nil }
    let type = value.prefix { $0 != ";" }
    return String(type.filter { $0 != " " && $0 != "\t" }).lowercased()
  }

  /// The cookies of the request by name; if a name is repeated, the first cookie is used.
  public var cookies: [String: String] {
    var cookies: [String: String] = [:]
    for field in values("cookie") {
      for pair in field.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { continue }
        let name = String(parts[0].drop { $0 == " " })
        if cookies[name] == nil { cookies[name] = String(parts[1]) }
      }
    }
    return cookies
  }
}
