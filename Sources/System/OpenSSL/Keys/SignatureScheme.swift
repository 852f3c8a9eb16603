internal import COpenSSL

/// How a message is signed, hash included.
public enum SignatureScheme: Sendable, Equatable {
  /// RSASSA-PKCS1-v1_5, RFC 8017 section 8.2.
  case pkcs1(HashAlgorithm)
  /// RSASSA-PSS with MGF1 by the same hash and a salt as long as the hash, RFC 8017 section 8.1.
  case pss(HashAlgorithm)
  /// ECDSA with a signature of both numbers at full length, RFC 7518 section 3.4.
  case ecdsa(HashAlgorithm)
  /// Ed25519 without a context, RFC 8032 section 5.1.
  case ed25519

  /// The hash of the message.
  public var hash: HashAlgorithm { chosenHash ?? .sha512 }

  /// The hash where the scheme leaves a choice; the library takes none for Ed25519, which has its own.
  var chosenHash: HashAlgorithm? {
    switch self {
    case .pkcs1(let hash), .pss(let hash), .ecdsa(let hash): hash
    case .ed25519: nil
    }
  }

  /// Tells the library about the padding, which it does not take from the key.
  func configure(_ context: OpaquePointer?) throws(OpenSSLError) {
    switch self {
    case .ecdsa, .ed25519: break
    case .pkcs1:
      try check("EVP_PKEY_CTX_set_rsa_padding", EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING))
    case .pss:
      try check("EVP_PKEY_CTX_set_rsa_padding", EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING))
      let status = EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST)
      try check("EVP_PKEY_CTX_set_rsa_pss_saltlen", status)
    }
  }

  /// Whether a key of that kind can sign so.
  func fits(_ components: PublicKey.Components) -> Bool {
    switch (self, components) {
    case (.pkcs1, .rsa), (.pss, .rsa), (.ecdsa, .ec), (.ed25519, .ed25519): true
    case (.pkcs1, _), (.pss, _), (.ecdsa, _), (.ed25519, _): false
    }
  }
}

/// A key that is ready for the signatures of one scheme: to make it so takes half as long as a check.
final class SignatureCheck: @unchecked Sendable {
  // Safety: its owner lets one at a time use it, and the library keeps nothing of a check for the next.
  let scheme: SignatureScheme
  private let context: OpaquePointer

  /// Readies a key for a scheme that it fits, and whose hash is one that the scheme leaves a choice of.
  init(_ key: KeyHandle, _ scheme: SignatureScheme) throws(OpenSSLError) {
    self.scheme = scheme
    context = try check("EVP_PKEY_CTX_new_from_pkey", EVP_PKEY_CTX_new_from_pkey(nil, key.raw, nil))
    try check("EVP_PKEY_verify_init", EVP_PKEY_verify_init(context))
    let hash = try scheme.hash.method()
    try check("EVP_PKEY_CTX_set_signature_md", EVP_PKEY_CTX_set_signature_md(context, hash))
    try scheme.configure(context)
  }

  deinit { EVP_PKEY_CTX_free(context) }

  /// Whether the signature, as the library writes it, is of what has this hash.
  func accepts(_ signature: [UInt8], of hash: [UInt8]) -> Bool {
    let status = EVP_PKEY_verify(context, signature, signature.count, hash, hash.count)
    // A bad signature leaves reports, which must not be taken for a later call's.
    ERR_clear_error()
    return status == 1
  }
}
