/// What the server responds with.
package struct HTTPResponse: Sendable {
  package var status: Int
  /// The header fields besides those of the transport.
  package var headers: HTTPHeaders
  package var body: [UInt8]

  /// A response from its parts.
  package init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// How a handler ends a request: with a response, or with a fault that a test wants to see.
package enum HTTPReply: Sendable {
  case response(HTTPResponse)
  /// The connection is closed without a byte.
  case dropConnection
  /// These bytes are written as they are, whatever they mean, and the connection is closed.
  case rawBytes([UInt8])
}
