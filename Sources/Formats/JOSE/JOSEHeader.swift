public import JSON
internal import OpenSSL

/// The protected header of a token, RFC 7515 section 4; no verification uses its keys and links.
public struct JOSEHeader: Sendable {
  /// The algorithm's name, as written.
  public let algorithm: String
  /// The media type of the token (`typ`), as written.
  public let type: String?
  /// The id of the key that the sender claims to have used (`kid`).
  public let keyID: String?
  /// A public key sent with the token (`jwk`); it does not prove anything.
  public let jwk: JSON?
  /// All members of the header.
  public let members: JSONObject

  /// Parses a header strictly; refuses `crit`, `b64` and `zip`, because no extension is supported.
  init(parsing bytes: [UInt8]) throws(JOSEError) {
    guard let members = try? JSON(parsing: bytes, maximumDepth: 8).object else { throw .malformed }
    for name in ["crit", "b64", "zip"] where members[name] != nil { throw .unsupportedHeader }
    guard let algorithm = try members.text("alg") else { throw .malformed }
    self.algorithm = algorithm
    type = try members.text("typ")
    keyID = try members.text("kid")
    jwk = members["jwk"]
    if let jwk, jwk.object == nil { throw .malformed }
    self.members = members
  }

  /// Throws an error unless the type has the same bytes as `expected`; `nil` accepts any type.
  func requireType(_ expected: String?) throws(JOSEError) {
    guard let expected else { return }
    guard let type, type.hasSameBytes(as: expected) else { throw .wrongType }
  }
}

extension JSONObject {
  /// Returns the text of an optional member; throws an error for another JSON type.
  func text(_ name: String) throws(JOSEError) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.string else { throw .malformed }
    return text
  }
}

/// The reason why a token or key was refused.
public enum JOSEError: Error, Equatable {
  /// The text exceeds the maximum length and was not parsed.
  case tooLong
  /// The text violates its format.
  case malformed
  /// The header has a parameter that changes the meaning of the token: `crit`, `b64` or `zip`.
  case unsupportedHeader
  /// The token does not have the expected type.
  case wrongType
  /// The algorithm of the token is not supported, for instance `none`.
  case unsupportedAlgorithm
  /// The algorithm of the token is supported, but not allowed by the caller.
  case algorithmNotAllowed
  /// A key lacks a member, is of an unsupported kind, or is too weak.
  case unusableKey
  /// No key has the `kid` of the token. Fetching the keys again may help.
  case unknownKey
  /// Several keys match, and a choice would be a guess.
  case ambiguousKey
  /// The key is not intended for the token's algorithm or for this use.
  case keyMismatch
  /// The signature is not valid for the key.
  case badSignature
  /// The token was encrypted to another key, or was modified.
  case decryptionFailed
  /// The library failed for a reason that does not depend on the input.
  case cryptographicFailure
}

/// Runs library calls that succeed for any input; a failure is a `cryptographicFailure`.
func library<Value>(_ body: () throws(OpenSSLError) -> Value) throws(JOSEError) -> Value {
  do { return try body() } catch { throw .cryptographicFailure }
}
