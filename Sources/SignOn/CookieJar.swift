/// The cookies of one sign-on with one origin, RFC 6265 as far as a flow needs it.
struct CookieJar: Sendable {
  private var cookies: [(name: String, value: String)] = []
  private let host: String

  private static let maximumCount = 32
  private static let maximumSize = 4096

  init(host: String) { self.host = host }

  /// Takes a `Set-Cookie` field; one for another domain or past the limits is left out.
  mutating func take(_ field: String) {
    let parts = field.split(separator: ";", omittingEmptySubsequences: false)
    guard field.utf8.count <= Self.maximumSize, let pair = parts.first, let split = pair.firstIndex(of: "=")
    else {
      return
    }
    let name = Self.trimmed(pair[..<split])
    let value = Self.trimmed(pair[pair.index(after: split)...])
    let attributes = parts.dropFirst().map { Self.trimmed($0) }
    guard !name.isEmpty, attributes.allSatisfy(belongs) else { return }
    cookies.removeAll { $0.name == name }
    guard !attributes.contains(where: Self.isEnd), cookies.count < Self.maximumCount else { return }
    cookies.append((name, value))
  }

  /// The `Cookie` field of the next request; `nil` without cookies.
  var field: String? {
    cookies.isEmpty ? nil : cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
  }

  /// Whether an attribute lets the host have the cookie: a domain must be the host or one above it.
  private func belongs(_ attribute: String) -> Bool {
    let lowered = attribute.lowercased()
    guard lowered.hasPrefix("domain=") else { return true }
    let domain = lowered.dropFirst("domain=".count).drop { $0 == "." }
    return host == domain || (domain.contains(".") && host.hasSuffix("." + domain))
  }

  /// Whether an attribute takes a cookie away: a life of no second or less, RFC 6265 section 5.2.2.
  private static func isEnd(_ attribute: String) -> Bool {
    let lowered = attribute.lowercased()
    guard lowered.hasPrefix("max-age=") else { return false }
    return Int(lowered.dropFirst("max-age=".count)).map { $0 <= 0 } ?? lowered.hasPrefix("max-age=-")
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
  }
}
