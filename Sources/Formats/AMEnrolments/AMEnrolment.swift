public import OATHExports

/// What a `pushauth:` or `mfauth:` URI of PingAM enrols: pushes, and with `mfauth:` passcodes too.
public struct AMEnrolment: Sendable {
  public let issuer: String
  /// What the account is called at the issuer.
  public let account: String
  /// The identity's name at the server, which is not what a person is called.
  public let user: String?
  public let push: AMPushRegistration
  /// The other half of `mfauth:`.
  public let oath: OATHRecord?
  public let policies: AMPolicies

  /// Both halves have to be whole, though of some clients each would do for itself.
  public init(_ uri: KeyURI) throws(OATHError) {
    guard uri.scheme != .otpauth else { throw .notAKeyURI }
    if let version = uri["version"], version != "1" { throw .unsupported("version", allowed: "1") }
    // Some write it plain, where servers encode it.
    let issuer = uri["issuer"].map { AMText.decode($0) ?? $0 }
    if uri.scheme == .mfauth {
      oath = try uri.record(issuer: issuer)
    } else {
      guard uri.type == "push" else { throw .unsupported("the type", allowed: "push") }
      oath = nil
    }
    (self.issuer, account) = try uri.names(issuer: issuer)
    // Servers write it under one name, and some clients read it under the other.
    let (user, other) = (try uri.text("uid"), try uri.text("d"))
    self.user = user ?? other
    policies = AMPolicies(try uri.text("policies", maximum: AMPolicies.longest) ?? "{}")
    push = try AMPushRegistration(uri)
  }
}

/// The cookie by which a load balancer finds the server that waits for a response: `name=value`.
public struct AMCookie: Sendable, Equatable {
  public let text: String

  /// Reads it in Base64; `nil` for what cannot be the value of a header.
  public init?(encoded: String) {
    guard let text = AMText.decode(encoded) else { return nil }
    self.init(text)
  }

  /// Reads it as it is sent; `nil` for what cannot be the value of a header.
  public init?(_ text: String) {
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
      let name = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).first,
      !name.isEmpty, name.utf8.count < text.utf8.count
    else { return nil }
    self.text = text
  }
}

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
