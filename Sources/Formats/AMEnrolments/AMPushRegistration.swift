internal import OATHExports
public import OpenSSL
internal import Text
public import WebAddress

/// The push part of an enrolment URI: the URLs for registering and answering, and the shared secret.
public struct AMPushRegistration: Sendable {
  public let register: WebURL
  public let authenticate: WebURL
  /// URL for changing the push transport.
  public let refresh: WebURL
  public let secret: Secret
  /// The challenge of the registration, which proves knowledge of the secret.
  public let challenge: [UInt8]
  public let messageID: String
  public let cookie: AMCookie?
  /// The server's id of the device.
  public let resource: String?

  /// HS256 requires a secret at least as long as its hash, RFC 7518 section 3.2.
  private static let secretLengths = 32...128
  private static let challengeLengths = 1...256

  init(_ uri: KeyURI) throws(OATHError) {
    register = try Self.address("r", of: uri)
    authenticate = try Self.address("a", of: uri)
    guard register.origin == authenticate.origin else {
      throw .unsupported("a", allowed: "of the same origin as r")
    }
    guard let refresh = register.action("register", replacedBy: "refresh") else { throw .invalid("r") }
    guard authenticate.action("authenticate", replacedBy: "authenticate") != nil else { throw .invalid("a") }
    self.refresh = refresh
    var key = try uri.bytes("s")
    defer { wipe(&key) }
    secret = try Self.secret(key, "s")
    challenge = try uri.bytes("c")
    guard Self.challengeLengths.contains(challenge.count) else { throw .invalid("c") }
    guard let messageID = uri["m"] else { throw .missing("m") }
    guard AMMessageID.isOne(messageID) else { throw .invalid("m") }
    self.messageID = messageID
    resource = uri.resource("pid")
    cookie = try uri["l"].map { text throws(OATHError) in
      guard let cookie = AMCookie(encoded: text) else { throw .invalid("l") }
      return cookie
    }
  }

  /// Returns the secret.
  ///
  /// Throws an error if its length is not allowed. `name` is the parameter in errors.
  static func secret(_ key: [UInt8], _ name: String) throws(OATHError) -> Secret {
    guard secretLengths.contains(key.count) else {
      throw .unsupported(name, allowed: "32 to 128 bytes long")
    }
    return Secret(copying: key)
  }

  private static func address(_ name: String, of uri: KeyURI) throws(OATHError) -> WebURL {
    guard let text = try uri.text(name, maximum: 2048) else { throw .missing(name) }
    guard let address = WebURL(text) else { throw .invalid(name) }
    return address
  }
}

/// A message id of PingAM: `REGISTER:` or `AUTHENTICATE:`, a UUID and milliseconds.
///
/// Old servers omit the prefix.
public enum AMMessageID {
  public static func isOne(_ text: String) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    return text.utf8.count <= 256 && (1...2).contains(parts.count)
      && parts.allSatisfy { part in
        !part.isEmpty
          && part.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
      }
  }
}

extension WebURL {
  /// Returns the URL with another `_action` in its query; `nil` unless `old` is its only `_action`.
  fileprivate func action(_ old: String, replacedBy new: String) -> WebURL? {
    let pairs = (query ?? "").split(separator: "&", omittingEmptySubsequences: false)
    guard pairs.filter({ $0.hasPrefix("_action=") }) == ["_action=\(old)"[...]] else { return nil }
    let query = pairs.map { $0.hasPrefix("_action=") ? "_action=\(new)" : String($0) }
    return WebURL("\(origin.text)\(path)?\(query.joined(separator: "&"))")
  }
}
