import COpenSSL

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
