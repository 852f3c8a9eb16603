import COpenSSL

extension PrivateKey {
  /// A signature of the message; an EC signature has both numbers at full length, RFC 7518 section 3.4.
  package func sign(
    _ message: some Collection<UInt8>,
    scheme: SignatureScheme
  ) throws(OpenSSLError) -> [UInt8] {
    guard scheme.fits(publicKey.components) else {
      throw OpenSSLError("PrivateKey", refusing: "the key cannot sign so")
    }
    let made = try librarySignature(of: message, scheme: scheme)
    switch publicKey.components {
    case .rsa, .ed25519: return made
    case .ec(let curve, _, _): return try ECDSASignature.raw(fromDER: made, curve: curve)
    }
  }

  private func librarySignature(
    of message: some Collection<UInt8>,
    scheme: SignatureScheme
  ) throws(OpenSSLError) -> [UInt8] {
    let context = try check("EVP_MD_CTX_new", EVP_MD_CTX_new())
    defer { EVP_MD_CTX_free(context) }
    var keyContext: OpaquePointer?
    let hash = scheme.chosenHash.map { "\($0.name)" }
    let status = EVP_DigestSignInit_ex(context, &keyContext, hash, nil, nil, handle.raw, nil)
    try check("EVP_DigestSignInit_ex", status)
    try scheme.configure(keyContext)
    var signature = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(handle.raw)))
    var count = signature.count
    try message.withContiguousBytes { message throws(OpenSSLError) in
      let status = EVP_DigestSign(context, &signature, &count, message.baseAddress, message.count)
      try check("EVP_DigestSign", status)
    }
    return Array(signature.prefix(count))
  }
}
