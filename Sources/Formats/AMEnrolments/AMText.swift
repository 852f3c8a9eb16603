internal import OATHExports

/// Values that PingAM writes in Base64, each by its key and never by how it looks.
enum AMText {
  /// The text; `nil` if it is not Base64 or not UTF-8.
  static func decode(_ text: String) -> String? {
    Base64.decode(text).flatMap { String(validating: $0, as: UTF8.self) }
  }
}

extension KeyURI {
  /// The most bytes of a text that names something.
  static let longestText = 512

  /// The bytes of a parameter that has to be there.
  func bytes(_ name: String) throws(OATHError) -> [UInt8] {
    guard let text = self[name] else { throw .missing(name) }
    guard let bytes = Base64.decode(text) else { throw .invalid(name) }
    return bytes
  }

  /// The text of a parameter, of at most so many bytes; `nil` if it is not there.
  func text(_ name: String, maximum: Int = longestText) throws(OATHError) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = AMText.decode(value), text.utf8.count <= maximum else { throw .invalid(name) }
    return text
  }
}
