/// One header field of a request or a response.
package struct CourierHeader: Sendable, Hashable {
  /// The name as it is written.
  package let name: String
  /// The value, without surrounding white space.
  package let value: String

  /// A field from its name and value; `isSendable` says whether a request may carry it.
  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Whether a request may carry the field: a token and a line of text, and none that would change the framing.
  package var isSendable: Bool {
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
