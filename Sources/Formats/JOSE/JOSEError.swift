import OpenSSL

/// Why a token or a key was refused, by what the caller does next.
package enum JOSEError: Error, Equatable {
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
