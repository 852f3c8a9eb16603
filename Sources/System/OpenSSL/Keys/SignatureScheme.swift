internal import COpenSSL

/// A signature scheme with its hash.
public enum SignatureScheme: Sendable, Equatable {
  /// RSASSA-PKCS1-v1_5, RFC 8017 section 8.2.
  case pkcs1(HashAlgorithm)
  /// RSASSA-PSS (RFC 8017 section 8.1) with this hash, MGF1 over this hash, and a salt as long as the hash.
  case pss(HashAlgorithm)
  /// ECDSA with a signature of two fixed-length numbers, RFC 7518 section 3.4.
  case ecdsa(HashAlgorithm)
  /// Ed25519 without a context, RFC 8032 section 5.1.
  case ed25519

  /// The hash of the message.
  public var hash: HashAlgorithm { chosenHash ?? .sha512 }

  /// The hash, if it can be chosen; `nil` for Ed25519, which has a fixed hash.
  var chosenHash: HashAlgorithm? {
    switch self {
    case .pkcs1(let hash), .pss(let hash), .ecdsa(let hash): hash
    case .ed25519: nil
    }
  }

  /// Sets the padding, which the library does not derive from the key.
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

  /// True if the scheme can be used with this kind of key.
  func fits(_ components: PublicKey.Components) -> Bool {
    switch (self, components) {
    case (.pkcs1, .rsa), (.pss, .rsa), (.ecdsa, .ec), (.ed25519, .ed25519): true
    case (.pkcs1, _), (.pss, _), (.ecdsa, _), (.ed25519, _): false
    }
  }
}

/// A key prepared for one signature scheme; the preparation takes half as long as a verification.
final class SignatureCheck: @unchecked Sendable {
  // Safety: its owner serialises its use, and the library keeps no state between verifications.
  let scheme: SignatureScheme
  private let context: OpaquePointer

  /// Prepares a key for a scheme that fits the key and has a selectable hash.
  init(_ key: KeyHandle, _ scheme: SignatureScheme) throws(OpenSSLError) {
    self.scheme = scheme
    context = try check("EVP_PKEY_CTX_new_from_pkey", EVP_PKEY_CTX_new_from_pkey(nil, key.raw, nil))
    try check("EVP_PKEY_verify_init", EVP_PKEY_verify_init(context))
    let hash = try scheme.hash.method()
    try check("EVP_PKEY_CTX_set_signature_md", EVP_PKEY_CTX_set_signature_md(context, hash))
    try scheme.configure(context)
  }

  deinit { EVP_PKEY_CTX_free(context) }

  /// True if the signature, in the library's form, is valid for a message with this hash.
  func accepts(_ signature: [UInt8], of hash: [UInt8]) -> Bool {
    let status = EVP_PKEY_verify(context, signature, signature.count, hash, hash.count)
    // An invalid signature leaves entries in the error queue, which a later call must not report.
    ERR_clear_error()
    return status == 1
  }
}
