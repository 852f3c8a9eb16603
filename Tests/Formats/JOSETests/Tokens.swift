import Fixtures
import JOSE
import JSON
import OpenSSL

/// Builders of tokens for tests of forgery.
enum Tokens {
  /// Returns a token of these segments, each base64url-encoded.
  static func compact(_ segments: [UInt8]...) -> String {
    segments.map { Base64URL.encode($0) }.joined(separator: ".")
  }

  /// Returns a token with the given header text, signed with ES256.
  static func signed(header: String, payload: String = "{}", with key: PrivateKey) throws -> String {
    let input = compact(Array(header.utf8), Array(payload.utf8))
    return input + "." + Base64URL.encode(try key.sign(input.utf8, scheme: .ecdsa(.sha256)))
  }

  /// Returns a token with the given header text, authenticated with HS256.
  static func authenticated(header: String, payload: String = "{}", with key: Secret) throws -> String {
    let input = compact(Array(header.utf8), Array(payload.utf8))
    return input + "." + Base64URL.encode(try HMACContext(.sha256, key: key).code(for: input.utf8))
  }

  /// Returns all texts that differ in one character, replaced by valid and invalid base64url characters.
  static func changed(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    return bytes.indices.flatMap { index in
      Array("AQgw_.= ".utf8).filter { $0 != bytes[index] }.map { other in
        var copy = bytes
        copy[index] = other
        return String(decoding: copy, as: UTF8.self)
      }
    }
  }
}

/// Every algorithm, for tests that expect a refusal for another reason.
let everyAlgorithm = Set(SignatureAlgorithm.allCases)

/// Returns the UTF-8 bytes of a text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
