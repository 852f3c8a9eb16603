public import Glibc
public import WebAddress

/// An HTTP request that the courier sends.
public struct CourierRequest: Sendable {
  /// The supported methods.
  public enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
  }

  /// The position of a request in mfad's queue; it is not sent to the courier.
  public struct Priority: Sendable, Hashable {
    public enum Urgency: Int, Sendable {
      /// A user's decision, which a server waits for.
      case decision
      case ordinary
      /// A long poll, which occupies a slot for a long time.
      case poll
    }

    public var urgency: Urgency
    /// The owner of the request, for sharing the slots fairly among owners.
    public var owner: uid_t?

    public init(_ urgency: Urgency = .ordinary, of owner: uid_t? = nil) {
      (self.urgency, self.owner) = (urgency, owner)
    }
  }

  public var priority = Priority()
  public var method: Method
  /// The URL, sent unchanged.
  public var url: WebURL
  /// Header fields; the courier adds `Host`, `User-Agent`, `Accept` and `Content-Length`.
  public var headers: [CourierHeader]
  /// The body; empty for a GET.
  public var body: [UInt8]
  /// Maximum duration of the whole exchange.
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

  /// The reason why the courier must refuse the request under any configuration; `nil` if there is none.
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

/// The response of a server.
public struct CourierResponse: Sendable {
  public let status: Int
  /// The header fields in their order; repeated fields are not joined.
  public let headers: [CourierHeader]
  public let body: [UInt8]

  /// A response from its parts.
  public init(status: Int, headers: [CourierHeader], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Returns the values of a header field; the name is case-insensitive.
  public func values(of name: String) -> [String] {
    let name = name.lowercased()
    return headers.filter { $0.name.lowercased() == name }.map(\.value)
  }
}

/// A header field of a request or response.
public struct CourierHeader: Sendable, Hashable {
  /// The name as written.
  public let name: String
  /// The value, without surrounding white space.
  public let value: String

  /// Creates a field without checking it; see `isSendable`.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// True if a request may have the field: its name is a token, its value one line, and it does not affect
  /// the framing.
  public var isSendable: Bool {
    guard (1...256).contains(name.utf8.count), name.utf8.allSatisfy(Self.isTokenByte) else { return false }
    guard value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else { return false }
    return !Self.reserved.contains(name.lowercased())
  }

  /// Fields of the connection; a client that could set them could split a request into two.
  private static let reserved: Set<String> = [
    "connection", "content-length", "expect", "host", "keep-alive", "proxy-authenticate",
    "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  private static let tokenBytes = Set(
    "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8
  )

  private static func isTokenByte(_ byte: UInt8) -> Bool { tokenBytes.contains(byte) }
}

/// The redirect by which a browser ends a sign-on: a GET of a path on a loopback port.
public struct ExpectedRedirect: Sendable {
  /// The path exactly as the browser sends it.
  public let path: String
  /// The SHA-256 of the expected `state`; the courier can verify a `state` with it, but cannot forge one.
  public let stateDigest: [UInt8]
  /// Maximum time to wait for the redirect.
  public var timeout: Duration

  /// A redirect from its parts.
  public init(path: String, stateDigest: [UInt8], timeout: Duration) {
    (self.path, self.stateDigest, self.timeout) = (path, stateDigest, timeout)
  }

  /// The reason to refuse the redirect; `nil` if there is none.
  public var problem: CourierFailure? {
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= CourierLimits.maximumPath,
      path.utf8.allSatisfy({ Self.isTargetByte($0) && $0 != UInt8(ascii: "?") })
    else { return .malformed }
    guard stateDigest.count == CourierLimits.stateDigest else { return .malformed }
    guard timeout > .zero, timeout <= CourierLimits.maximumListening else { return .malformed }
    return nil
  }

  /// True if a text is a valid query of a redirect, as in a request line.
  public static func isQuery(_ text: some StringProtocol) -> Bool {
    (1...CourierLimits.maximumQuery).contains(text.utf8.count) && text.utf8.allSatisfy(isTargetByte)
  }

  /// Visible ASCII without the number sign; browsers do not send fragments.
  private static func isTargetByte(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#")
  }
}
