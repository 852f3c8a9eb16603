public import JSON
internal import OpenSSL

/// The protected header of a token, RFC 7515 section 4; its keys and links are shown, but never followed.
public struct JOSEHeader: Sendable {
  /// The algorithm's name, as written.
  public let algorithm: String
  /// The type of the whole token (`typ`), as written.
  public let type: String?
  /// The key that the writer claims to have used (`kid`).
  public let keyID: String?
  /// A public key that the writer sent along (`jwk`), which proves nothing by itself.
  public let jwk: JSON?
  /// Everything in the header.
  public let members: JSONObject

  /// Reads a header strictly; a header with `crit`, `b64` or `zip` is refused, since we know no extension.
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

  /// Refuses a token of another type than expected; types compare byte by byte.
  func requireType(_ expected: String?) throws(JOSEError) {
    guard let expected else { return }
    guard let type, type.hasSameBytes(as: expected) else { throw .wrongType }
  }
}

extension JSONObject {
  /// The text of a member that may be absent, but not something else.
  func text(_ name: String) throws(JOSEError) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.string else { throw .malformed }
    return text
  }
}

/// Why a token or a key was refused, by what the caller does next.
public enum JOSEError: Error, Equatable {
  /// The text is longer than allowed, and was not looked at.
  case tooLong
  /// The text breaks a rule of its format; nobody honest wrote it.
  case malformed
  /// The header asks for something that changes the meaning of a token: `crit`, `b64` or `zip`.
  case unsupportedHeader
  /// The token is of another type than the caller expects.
  case wrongType
  /// The token names an algorithm that we do not have; `none` is one of them.
  case unsupportedAlgorithm
  /// The token names an algorithm that we have, but that the caller does not allow here.
  case algorithmNotAllowed
  /// A key lacks a member, is of a kind that we do not have, or is too weak to mean anything.
  case unusableKey
  /// No key has the token's `kid`; fetching the keys again may help.
  case unknownKey
  /// Several keys could be meant; a choice would be a guess.
  case ambiguousKey
  /// The key is not made for the token's algorithm or for this use.
  case keyMismatch
  /// The signature is not by the key.
  case badSignature
  /// The token was not encrypted to the key, or was changed on its way.
  case decryptionFailed
  /// The library failed where input cannot make it fail.
  case cryptographicFailure
}

/// Runs a step of the library whose failure would be nobody's fault outside.
func library<Value>(_ body: () throws(OpenSSLError) -> Value) throws(JOSEError) -> Value {
  do { return try body() } catch { throw .cryptographicFailure }
}
