internal import WebAddress

/// A request that has arrived whole.
package struct HTTPRequest: Sendable {
  /// The method, in upper case as written.
  package let method: String
  /// The request target exactly as it was sent: path and query.
  package let target: String
  package let headers: HTTPHeaders
  /// The content; empty if there was none.
  package let body: [UInt8]

  /// A request from its parts.
  package init(method: String, target: String, headers: HTTPHeaders, body: [UInt8]) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
  }

  /// The target up to its question mark, as it was sent.
  package var path: Substring { target.prefix { $0 != "?" } }

  /// The parameters of the query; `nil` if an escape or the resulting UTF-8 is broken.
  package var query: [(String, String)]? {
    guard let mark = target.firstIndex(of: "?") else { return [] }
    return FormEncoding.decode(target[target.index(after: mark)...])
  }
}
