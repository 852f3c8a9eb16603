public import WebAddress

public struct CurlRequest: Sendable {
  /// The method, sent unchanged.
  public var method: String
  /// The URL, sent unchanged.
  public var url: WebURL
  /// Header fields; a field with a line break or null byte is refused.
  public var headers: [(name: String, value: String)]
  /// The body; an empty body is only sent with POST and PUT.
  public var body: [UInt8]
  /// Maximum duration of the whole exchange; `nil` for no limit.
  public var timeout: Duration?
  /// Maximum size of the response body in bytes.
  public var maximumBody: Int

  /// A request from its parts.
  public init(
    _ method: String,
    _ url: WebURL,
    headers: [(name: String, value: String)] = [],
    body: [UInt8] = [],
    timeout: Duration? = .seconds(30),
    maximumBody: Int = 1 << 20
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.maximumBody = maximumBody
  }
}

/// The response of a server.
public struct CurlResponse: Sendable {
  public let status: Int
  /// The header fields in their order; repeated fields are not joined.
  public let headers: [(name: String, value: String)]
  /// The response body.
  public let body: [UInt8]
}
