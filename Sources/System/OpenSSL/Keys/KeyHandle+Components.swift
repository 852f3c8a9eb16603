import COpenSSL

extension KeyHandle {
  /// The library's public key of these numbers, which it does not check.
  convenience init(_ components: PublicKey.Components) throws(OpenSSLError) {
    let parameters = Parameters()
    switch components {
    case .rsa(let modulus, let exponent):
      parameters.add("n", number: modulus)
      parameters.add("e", number: exponent)
      try self.init("RSA", selection: copenssl_public_key(), parameters: parameters)
    case .ec(let curve, let x, let y):
      parameters.add("group", text: curve.name)
      parameters.add("pub", bytes: Secret(copying: [uncompressedPoint] + x + y))
      try self.init("EC", selection: copenssl_public_key(), parameters: parameters)
    case .ed25519(let point):
      let key = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, point, point.count)
      self.init(owning: try check("EVP_PKEY_new_raw_public_key_ex", key))
    }
  }
}
