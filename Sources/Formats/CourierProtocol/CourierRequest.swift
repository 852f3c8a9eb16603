public import Glibc
public import WebAddress

/// One HTTP request for the courier to carry.
public struct CourierRequest: Sendable {
  /// The methods that the courier carries.
  public enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
  }

  /// When a request is sent, of those that wait here; the courier does not hear of it.
  public struct Turn: Sendable, Hashable {
    public enum Urgency: Int, Sendable {
      /// What somebody decided, and is waited for elsewhere.
      case decision
      case ordinary
      /// What waits for news and holds its place for long.
      case poll
    }

    public var urgency: Urgency
    /// For whom it is sent, so that nobody takes the places of others.
    public var owner: uid_t?

    public init(_ urgency: Urgency = .ordinary, of owner: uid_t? = nil) {
      (self.urgency, self.owner) = (urgency, owner)
    }
  }

  public var turn = Turn()
  public var method: Method
  /// Where it goes, sent as it is written here.
  public var url: WebURL
  /// Header fields; the courier adds `Host`, `User-Agent`, `Accept` and the body's length.
  public var headers: [CourierHeader]
  /// The body; a GET has none.
  public var body: [UInt8]
  /// How long the whole exchange may take.
  public var timeout: Duration

  /// A request from its parts.
  public init(
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
  public var problem: CourierFailure? {
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
public struct CourierResponse: Sendable {
  public let status: Int
  /// The header fields in their order, several of one name apart.
  public let headers: [CourierHeader]
  public let body: [UInt8]

  /// A response from its parts.
  public init(status: Int, headers: [CourierHeader], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The values of a header field, its name compared without regard to case.
  public func values(of name: String) -> [String] {
    let name = name.lowercased()
    return headers.filter { $0.name.lowercased() == name }.map(\.value)
  }
}

/// One header field of a request or a response.
public struct CourierHeader: Sendable, Hashable {
  /// The name as it is written.
  public let name: String
  /// The value, without surrounding white space.
  public let value: String

  /// A field from its name and value; `isSendable` says whether a request may carry it.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Whether a request may carry the field: a token and a line of text, and none that would change the framing.
  public var isSendable: Bool {
    guard (1...256).contains(name.utf8.count), name.utf8.allSatisfy(Self.isTokenByte) else { return false }
    guard value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else { return false }
    return !Self.reserved.contains(name.lowercased())
  }

  /// Fields that belong to the connection, not to the request: whoever sets them can cut one request into two.
  private static let reserved: Set<String> = [
    "connection", "content-length", "expect", "host", "keep-alive", "proxy-authenticate",
    "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  private static let tokenBytes = Set(
    "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8
  )

  private static func isTokenByte(_ byte: UInt8) -> Bool { tokenBytes.contains(byte) }
}

/// The redirect with which a browser is to end a sign-on: one GET of a path on this machine's loopback.
public struct ExpectedRedirect: Sendable {
  /// The path, exactly as the browser will send it.
  public let path: String
  /// The SHA-256 of the `state` that it brings, by which whoever waits knows it and cannot make one.
  public let stateDigest: [UInt8]
  /// How long it is waited for.
  public var timeout: Duration

  /// A redirect from its parts.
  public init(path: String, stateDigest: [UInt8], timeout: Duration) {
    (self.path, self.stateDigest, self.timeout) = (path, stateDigest, timeout)
  }

  /// What speaks against waiting for it.
  public var problem: CourierFailure? {
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= CourierLimits.maximumPath,
      path.utf8.allSatisfy({ Self.isTargetByte($0) && $0 != UInt8(ascii: "?") })
    else { return .malformed }
    guard stateDigest.count == CourierLimits.stateDigest else { return .malformed }
    guard timeout > .zero, timeout <= CourierLimits.maximumListening else { return .malformed }
    return nil
  }

  /// Whether a text can be the query of a redirect, as it stands in a request line.
  public static func isQuery(_ text: some StringProtocol) -> Bool {
    (1...CourierLimits.maximumQuery).contains(text.utf8.count) && text.utf8.allSatisfy(isTargetByte)
  }

  /// Visible ASCII without the number sign: a fragment never leaves a browser.
  private static func isTargetByte(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#")
  }
}
