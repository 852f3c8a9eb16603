internal import Text

/// A scheme, host and port (RFC 6454); allow-lists compare origins exactly.
public struct Origin: Sendable, Hashable {
  /// The scheme of an origin.
  public enum Scheme: String, Sendable {
    case http
    case https
  }

  public let scheme: Scheme
  /// The host in lower case; an IPv6 address keeps its brackets.
  public let host: String
  /// The port; the scheme's default port if the URL contains none.
  public let port: Int

  init?(scheme: Scheme, authority: Substring) {
    var host = authority
    var port = scheme == .https ? 443 : 80
    let portStart = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : authority.startIndex
    guard let portStart else { return nil }
    if let colon = authority[portStart...].lastIndex(of: ":") {
      let digits = authority[authority.index(after: colon)...]
      guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
        let number = Int(digits), (1...65535).contains(number)
      else { return nil }
      host = authority[..<colon]
      port = number
    }
    let isValid = host.hasPrefix("[") ? Self.isIPv6(host) : Self.isName(host)
    guard isValid else { return nil }
    self.scheme = scheme
    self.host = host.lowercased()
    self.port = port
  }

  private static func isName(_ host: Substring) -> Bool {
    !host.isEmpty && host.utf8.count <= 253
      && host.utf8.allSatisfy { byte in
        byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      }
  }

  private static func isIPv6(_ host: Substring) -> Bool {
    host.hasSuffix("]") && host.count > 3 && host.count < 48
      && host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
  }

  /// True if the host is a loopback address or name: `127.0.0.0/8`, `[::1]` or `localhost`.
  public var isLoopback: Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return parts.count == 4 && parts.first == 127 && parts.allSatisfy { $0 != nil }
  }

  /// The origin as text; the scheme's default port is omitted.
  public var text: String {
    let standard = scheme == .https ? 443 : 80
    return "\(scheme.rawValue)://\(host)" + (port == standard ? "" : ":\(port)")
  }
}
