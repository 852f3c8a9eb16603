import Fixtures
import JOSE
import JSON
import OpenSSL

/// Pieces of tokens that no honest writer would make.
enum Tokens {
  /// A token of these segments, each encoded.
  static func compact(_ segments: [UInt8]...) -> String {
    segments.map { Base64URL.encode($0) }.joined(separator: ".")
  }

  /// A token with a header written by hand, signed by ES256.
  static func signed(header: String, payload: String = "{}", with key: PrivateKey) throws -> String {
    let input = compact(Array(header.utf8), Array(payload.utf8))
    return input + "." + Base64URL.encode(try key.sign(input.utf8, scheme: .ecdsa(.sha256)))
  }

  /// A token with a header written by hand, authenticated by HS256.
  static func authenticated(header: String, payload: String = "{}", with key: Secret) throws -> String {
    let input = compact(Array(header.utf8), Array(payload.utf8))
    return input + "." + Base64URL.encode(try HMACContext(.sha256, key: key).code(for: input.utf8))
  }

  /// The texts that differ from this one in one character, with others that base64url has and has not.
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

/// Every algorithm, for tests where something else has to refuse.
let everyAlgorithm = Set(SignatureAlgorithm.allCases)

/// The bytes of a text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
