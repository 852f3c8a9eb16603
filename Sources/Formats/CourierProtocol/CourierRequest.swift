package import Glibc
package import WebAddress

/// One HTTP request for the courier to carry.
package struct CourierRequest: Sendable {
  /// The methods that the courier carries.
  package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
  }

  /// When a request is sent, of those that wait here; the courier does not hear of it.
  package struct Turn: Sendable, Hashable {
    package enum Urgency: Int, Sendable {
      /// What somebody decided, and is waited for elsewhere.
      case decision
      case ordinary
      /// What waits for news and holds its place for long.
      case poll
    }

    package var urgency: Urgency
    /// For whom it is sent, so that nobody takes the places of others.
    package var owner: uid_t?

    package init(_ urgency: Urgency = .ordinary, of owner: uid_t? = nil) {
      (self.urgency, self.owner) = (urgency, owner)
    }
  }

  package var turn = Turn()
  package var method: Method
  /// Where it goes, sent as it is written here.
  package var url: WebURL
  /// Header fields; the courier adds `Host`, `User-Agent`, `Accept` and the body's length.
  package var headers: [CourierHeader]
  /// The body; a GET has none.
  package var body: [UInt8]
  /// How long the whole exchange may take.
  package var timeout: Duration

  /// A request from its parts.
  package init(
    _ method: Method,
    _ url: WebURL,
    headers: [CourierHeader] = [],
    body: [UInt8] = [],
    timeout: Duration = .seconds(30)
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeout = timeout
  }

  /// What speaks against carrying the request, whatever is configured.
  package var problem: CourierFailure? {
    guard body.count <= CourierLimits.maximumBody else { return .tooLarge }
    let headerBytes = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    guard headers.count <= CourierLimits.maximumHeaders, headerBytes <= CourierLimits.maximumHeaderBytes
    else {
      return .tooLarge
    }
    guard headers.allSatisfy(\.isSendable), method != .get || body.isEmpty else { return .malformed }
    guard timeout > .zero, timeout <= CourierLimits.maximumTimeout else { return .malformed }
    return nil
  }
}

/// What a server responded with.
package struct CourierResponse: Sendable {
  package let status: Int
  /// The header fields in their order, several of one name apart.
  package let headers: [CourierHeader]
  package let body: [UInt8]

  /// A response from its parts.
  package init(status: Int, headers: [CourierHeader], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The values of a header field, its name compared without regard to case.
  package func values(of name: String) -> [String] {
    let name = name.lowercased()
    return headers.filter { $0.name.lowercased() == name }.map(\.value)
  }
}
