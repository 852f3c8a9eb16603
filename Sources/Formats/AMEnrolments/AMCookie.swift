internal import OATHExports

/// The cookie by which a load balancer finds the server that waits for a response: `name=value`.
package struct AMCookie: Sendable, Equatable {
  package let text: String

  /// Reads it in Base64; `nil` for what cannot be the value of a header.
  package init?(encoded: String) {
    guard let text = AMText.decode(encoded) else { return nil }
    self.init(text)
  }

  /// Reads it as it is sent; `nil` for what cannot be the value of a header.
  package init?(_ text: String) {
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
      let name = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).first,
      !name.isEmpty, name.utf8.count < text.utf8.count
    else { return nil }
    self.text = text
  }
}
