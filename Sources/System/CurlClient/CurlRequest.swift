package import WebAddress

package struct CurlRequest: Sendable {
  /// The method, as it is sent.
  package var method: String
  /// Where it goes, sent as it is written here.
  package var url: WebURL
  /// Header fields; a line break or a null byte in one is refused.
  package var headers: [(name: String, value: String)]
  /// The body; none is sent when it is empty, except with POST and PUT.
  package var body: [UInt8]
  /// How long the whole exchange may take; `nil`: as long as the server goes on.
  package var timeout: Duration?
  /// The largest body of a response that is taken.
  package var maximumBody: Int

  /// A request from its parts.
  package init(
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
package struct CurlResponse: Sendable {
  package let status: Int
  /// The header fields in their order, several of one name apart.
  package let headers: [(name: String, value: String)]
  /// The body, as it was sent.
  package let body: [UInt8]
}
