internal import JOSE
internal import OpenSSL

/// The secret of one authorization request and its challenge, RFC 7636 with S256.
struct ProofKey: Sendable {
  /// The secret, 43 characters.
  let verifier: String
  /// What the authorization request shows of it.
  let challenge: String

  init() throws { try self.init(verifier: Self.random()) }

  /// The secret of that text.
  init(verifier: String) throws {
    self.verifier = verifier
    challenge = Base64URL.encode(try digest(Array(verifier.utf8), .sha256))
  }

  /// 256 random bits as text, also for `state` and `nonce`.
  static func random() throws -> String { Base64URL.encode(try randomBytes(32)) }
}
