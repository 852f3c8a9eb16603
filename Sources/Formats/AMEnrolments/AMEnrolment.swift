public import OATHExports

/// The contents of a `pushauth:` or `mfauth:` URI of PingAM.
///
/// The URI enrols an account for pushes, and with `mfauth:` also for passcodes.
public struct AMEnrolment: Sendable {
  public let issuer: String
  /// The account name at the issuer.
  public let account: String
  /// The user's id at the server, which differs from the display name.
  public let user: String?
  public let push: AMPushRegistration
  /// The passcode half of `mfauth:`; `nil` for `pushauth:`.
  public let oath: OATHRecord?
  public let policies: AMPolicies

  /// Reads a URI; all its parts must be valid, although some clients accept a URI with one valid half.
  public init(_ uri: KeyURI) throws(OATHError) {
    guard uri.scheme != .otpauth else { throw .notAKeyURI }
    if let version = uri["version"], version != "1" { throw .unsupported("version", allowed: "1") }
    // Most servers encode the issuer in Base64, but some write it in plain text.
    let names = uri.names(issuer: uri["issuer"].map { AMText.decode($0) ?? $0 })
    if uri.scheme == .mfauth {
      oath = try uri.record(named: names)
    } else {
      guard uri.type == "push" else { throw .unsupported("the type", allowed: "push") }
      oath = nil
    }
    (issuer, account) = names.complete
    // Servers write the user id as `uid`; some clients read it as `d`.
    let (user, other) = (try uri.text("uid"), try uri.text("d"))
    self.user = user ?? other
    policies = AMPolicies(try uri.text("policies", maximum: AMPolicies.longest) ?? "{}")
    push = try AMPushRegistration(uri)
  }
}

/// The load balancer cookie of the server that waits for a response: `name=value`.
public struct AMCookie: Sendable, Equatable {
  public let text: String

  /// Reads a cookie in Base64; `nil` if it is not a valid header value.
  public init?(encoded: String) {
    guard let text = AMText.decode(encoded) else { return nil }
    self.init(text)
  }

  /// Reads a cookie in plain text; `nil` if it is not a valid header value.
  public init?(_ text: String) {
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
      let name = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).first,
      !name.isEmpty, name.utf8.count < text.utf8.count
    else { return nil }
    self.text = text
  }
}

/// Decodes values that PingAM encodes in Base64.
///
/// The parameter determines whether its value is encoded. Only the issuer occurs in both forms.
enum AMText {
  /// Decodes Base64; `nil` if it is not Base64 or not UTF-8.
  static func decode(_ text: String) -> String? {
    Base64.decode(text).flatMap { String(validating: $0, as: UTF8.self) }
  }
}

extension KeyURI {
  /// Maximum length of a name in bytes.
  static let longestText = 512

  /// Returns the bytes of a required parameter.
  func bytes(_ name: String) throws(OATHError) -> [UInt8] {
    guard let text = self[name] else { throw .missing(name) }
    guard let bytes = Base64.decode(text) else { throw .invalid(name) }
    return bytes
  }

  /// Returns the text of a parameter, of at most `maximum` bytes; `nil` if it is absent.
  func text(_ name: String, maximum: Int = longestText) throws(OATHError) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = AMText.decode(value), text.utf8.count <= maximum else { throw .invalid(name) }
    return text
  }
}
