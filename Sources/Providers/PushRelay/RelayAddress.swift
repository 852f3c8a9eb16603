internal import Configuration
internal import JOSE
internal import OpenSSL
internal import Text
internal import WebAddress

/// Where others leave messages for an owner at a relay: a topic that nobody can guess.
enum RelayAddress {
  /// A new address at a relay: 128 random bits, named and marked as UnifiedPush wants it of an ntfy server.
  static func make(at relay: WebURL) throws -> WebURL? {
    let topic = "up" + Base64URL.encode(try randomBytes(16))
    return relay.appending(path: topic)?.appending(query: [("up", "1")])
  }

  /// The stream of an address from an instant in Unix seconds or a message on; `nil` for what is no topic's address.
  static func stream(of address: WebURL, since: String) -> WebURL? {
    let topic = address.path.dropFirst()
    guard (1...64).contains(topic.utf8.count), topic.utf8.allSatisfy(isTopicByte) else { return nil }
    return WebURL(address.origin.text + address.path + "/json?since=\(since)")
  }

  /// Whether an ntfy server takes a text as a message's id, and not as an instant.
  static func isMessageID(_ text: String) -> Bool {
    text.utf8.count == 12 && text.utf8.allSatisfy(isTopicByte)
  }

  private static func isTopicByte(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}
