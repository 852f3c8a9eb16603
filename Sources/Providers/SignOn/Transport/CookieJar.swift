internal import JSON
internal import Text
internal import Time
internal import WebAddress

/// The cookies of one sign-on with one origin; implements the part of RFC 6265 that sign-ons need.
struct CookieJar: Sendable {
  /// One cookie; it is sent to its path and the paths below it.
  struct Cookie: Sendable, Equatable {
    let name: String
    let value: String
    let path: String
    /// Time when the cookie expires; `nil` if the server set none.
    let expiresAt: Timestamp?

    fileprivate var size: Int { name.utf8.count + value.utf8.count + path.utf8.count }
  }

  private(set) var cookies: [Cookie] = []

  /// Size of all cookies in bytes.
  var size: Int { cookies.reduce(0) { $0 + $1.size } }

  private let origin: Origin

  private static let maximumCount = 32
  private static let maximumSize = 4096
  /// Maximum size of all cookies in bytes; with them, a request is still smaller than the courier's limit.
  private static let maximumTotal = 16 * 1024

  init(origin: Origin) { self.origin = origin }

  /// Stores the cookie of a `Set-Cookie` field; `url` is the URL of the request.
  ///
  /// Ignores a cookie for another domain, a `Secure` cookie of an insecure origin, and one beyond the limits.
  mutating func take(_ field: String, from url: WebURL, now: Timestamp) {
    let parts = field.split(separator: ";", omittingEmptySubsequences: false)
    guard field.utf8.count <= Self.maximumSize, let pair = parts.first, let split = pair.firstIndex(of: "=")
    else {
      return
    }
    let name = String(pair[..<split].trimmedOfBlanks)
    let value = String(pair[pair.index(after: split)...].trimmedOfBlanks)
    let attributes = parts.dropFirst().map(Attribute.init)
    guard !name.isEmpty, attributes.allSatisfy(belongs) else { return }
    let given = attributes.last { $0.name == "path" }?.value
    let path = given.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? Self.directory(of: url.path)
    cookies.removeAll { $0.name == name && $0.path == path }
    let end = Self.end(attributes, now: now)
    guard end.map({ $0 > now }) ?? true else { return }
    add(Cookie(name: name, value: value, path: path, expiresAt: end))
  }

  /// Adds a cookie if the limits have room for it.
  private mutating func add(_ cookie: Cookie) {
    guard cookies.count < Self.maximumCount, size + cookie.size <= Self.maximumTotal else { return }
    cookies.append(cookie)
  }

  /// Restores cookies from an earlier sign-on, except expired ones.
  mutating func restore(_ kept: [Cookie], now: Timestamp) {
    cookies = []
    for cookie in kept where cookie.expiresAt.map({ $0 > now }) ?? true { add(cookie) }
  }

  /// Returns the `Cookie` field for a request, longest paths first (section 5.4); `nil` without cookies.
  func field(for url: WebURL) -> String? {
    let fitting = cookies.filter { Self.path(url.path, isBelow: $0.path) }
    guard !fitting.isEmpty else { return nil }
    let sorted = fitting.enumerated().sorted {
      ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset)
    }
    return sorted.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
  }

  /// True if the attribute permits the cookie for this origin: a domain must be the host or a parent of it.
  ///
  /// A secure cookie requires HTTPS or a loopback address.
  private func belongs(_ attribute: Attribute) -> Bool {
    switch attribute.name {
    case "domain":
      let domain = attribute.value.lowercased().drop { $0 == "." }
      return origin.host == domain || (domain.contains(".") && origin.host.hasSuffix("." + domain))
    case "secure": return origin.scheme == .https || origin.isLoopback
    default: return true
    }
  }

  /// Returns the time when a cookie expires; Max-Age takes precedence over Expires, RFC 6265 section 5.3.
  private static func end(_ attributes: [Attribute], now: Timestamp) -> Timestamp? {
    if let age = attributes.last(where: { $0.name == "max-age" })?.value {
      if let seconds = Int(age) { return now.adding(seconds: seconds) }
      if age.hasPrefix("-") { return now }
    }
    return attributes.last { $0.name == "expires" }.flatMap { Timestamp(httpDate: $0.value) }
  }

  /// Returns the default path of a cookie, section 5.1.4.
  private static func directory(of path: String) -> String {
    guard let last = path.lastIndex(of: "/"), last != path.startIndex else { return "/" }
    return String(path[..<last])
  }

  /// True if a request's path matches a cookie's path, section 5.1.4.
  private static func path(_ path: String, isBelow cookie: String) -> Bool {
    guard path.hasPrefix(cookie) else { return false }
    return path.utf8.count == cookie.utf8.count || cookie.hasSuffix("/")
      || path.dropFirst(cookie.count).hasPrefix("/")
  }

  private struct Attribute {
    let name: String
    let value: String

    init(_ text: Substring) {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      name = parts.first?.trimmedOfBlanks.lowercased() ?? ""
      value = parts.count > 1 ? String(parts[1].trimmedOfBlanks) : ""
    }
  }
}

// Session cookies, by which the issuer recognizes the user in the next sign-on.

extension CookieJar {
  /// Names of PingOne's session cookies; all other cookies belong to one sign-on.
  private static let sessionNames: Set<String> = ["ST", "ST-NO-SS"]

  /// The cookies that are kept after the sign-on.
  var sessionCookies: [Cookie] { cookies.filter { Self.sessionNames.contains($0.name) } }
}

extension CookieJar.Cookie {
  /// The cookie as stored JSON.
  var json: JSON {
    var object: JSONObject = ["name": .string(name), "value": .string(value), "path": .string(path)]
    object["expires_at"] = expiresAt.map { .int($0.seconds) }
    return .object(object)
  }

  /// Reads stored JSON.
  init?(kept json: JSON) {
    guard let name = json["name"]?.string, let value = json["value"]?.string, let path = json["path"]?.string
    else { return nil }
    let end = json["expires_at"]?.int.map { Timestamp(seconds: $0) }
    self.init(name: name, value: value, path: path, expiresAt: end)
  }
}
