public import WebAddress

public struct CurlRequest: Sendable {
  /// The method, as it is sent.
  public var method: String
  /// Where it goes, sent as it is written here.
  public var url: WebURL
  /// Header fields; a line break or a null byte in one is refused.
  public var headers: [(name: String, value: String)]
  /// The body; none is sent when it is empty, except with POST and PUT.
  public var body: [UInt8]
  /// How long the whole exchange may take; `nil`: as long as the server goes on.
  public var timeout: Duration?
  /// The largest body of a response that is taken.
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

/// What a server responded with.
public struct CurlResponse: Sendable {
  public let status: Int
  /// The header fields in their order, several of one name apart.
  public let headers: [(name: String, value: String)]
  /// The body, as it was sent.
  public let body: [UInt8]
}
