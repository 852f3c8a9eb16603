/// An absolute `http` or `https` URL, parsed strictly: no user part, no fragment, ASCII only.
public struct WebURL: Sendable {
  /// The server of the URL.
  public let origin: Origin
  /// The path, beginning with a slash.
  public let path: String
  /// The text after the question mark; `nil` if there is no question mark.
  public let query: String?
  public let text: String

  /// Parses a URL; `nil` unless it is an absolute `http` or `https` URL without user part or fragment.
  public init?(_ text: String) {
    guard text.utf8.count <= 8192,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Self.forbidden.utf8.contains($0) })
    else { return nil }
    let rest: Substring
    let scheme: Origin.Scheme
    let whole = Substring(text)
    if whole.lowercasedHasPrefix("https://") {
      (scheme, rest) = (.https, whole.dropFirst(8))
    } else if whole.lowercasedHasPrefix("http://") {
      (scheme, rest) = (.http, whole.dropFirst(7))
    } else {
      return nil
    }
    let authorityEnd =
      rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
    guard let origin = Origin(scheme: scheme, authority: rest[..<authorityEnd]) else { return nil }
    let target = rest[authorityEnd...]
    let queryStart = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
    self.origin = origin
    path = queryStart == target.startIndex ? "/" : String(target[..<queryStart])
    query = queryStart == target.endIndex ? nil : String(target[target.index(after: queryStart)...])
    self.text = origin.text + path + (query.map { "?" + $0 } ?? "")
  }

  // Some parsers treat a backslash as a slash. A fragment is never sent to a server. The other characters
  // must be percent-encoded.
  private static let forbidden = "\\#\"<>`{}|^"

  /// Returns the URL with `suffix` appended to its path, with one slash in between.
  public func appending(path suffix: String) -> WebURL? {
    WebURL(origin.text + path.droppingLastSlash + (suffix.hasPrefix("/") ? suffix : "/" + suffix))
  }

  /// Returns the URL with these parameters encoded and appended to its query.
  public func appending(query parameters: [(String, String)]) -> WebURL? {
    let encoded = FormEncoding.encode(parameters)
    guard !encoded.isEmpty else { return self }
    return WebURL(origin.text + path + "?" + (query.map { $0.isEmpty ? "" : $0 + "&" } ?? "") + encoded)
  }
}

extension Substring {
  fileprivate func lowercasedHasPrefix(_ prefix: String) -> Bool {
    self.prefix(prefix.count).lowercased() == prefix
  }
}

extension WebURL: Hashable {
  /// The text determines all parts, so it suffices for equality.
  public static func == (left: WebURL, right: WebURL) -> Bool { left.text == right.text }

  /// Hashes only the text, consistently with equality.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension String {
  public var droppingLastSlash: String {
    utf8.last == UInt8(ascii: "/") ? String(decoding: utf8.dropLast(), as: UTF8.self) : self
  }
}
