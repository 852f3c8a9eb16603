import COpenSSL

/// How a message is signed, hash included.
package enum SignatureScheme: Sendable {
  /// RSASSA-PKCS1-v1_5, RFC 8017 section 8.2.
  case pkcs1(HashAlgorithm)
  /// RSASSA-PSS with MGF1 by the same hash and a salt as long as the hash, RFC 8017 section 8.1.
  case pss(HashAlgorithm)
  /// ECDSA with a signature of both numbers at full length, RFC 7518 section 3.4.
  case ecdsa(HashAlgorithm)

  /// The hash of the message.
  package var hash: HashAlgorithm {
    switch self {
    case .pkcs1(let hash), .pss(let hash), .ecdsa(let hash): hash
    }
  }

  /// Tells the library about the padding, which it does not take from the key.
  func configure(_ context: OpaquePointer?) throws(OpenSSLError) {
    switch self {
    case .ecdsa: break
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
    case (.pkcs1, .rsa), (.pss, .rsa), (.ecdsa, .ec): true
    case (.pkcs1, .ec), (.pss, .ec), (.ecdsa, .rsa): false
    }
  }
}
