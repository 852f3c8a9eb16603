import COpenSSL

extension PrivateKey {
  /// The key of an unencrypted PKCS #8 structure in DER (RFC 5958), P-256 or RSA, with nothing after it.
  package convenience init(pkcs8: Secret) throws(OpenSSLError) {
    let raw = try pkcs8.withBuffer { bytes throws(OpenSSLError) in
      var position = bytes.baseAddress
      let parsed = d2i_PKCS8_PRIV_KEY_INFO(nil, &position, bytes.count)
      let structure = try check("d2i_PKCS8_PRIV_KEY_INFO", parsed)
      defer { PKCS8_PRIV_KEY_INFO_free(structure) }
      guard position == bytes.baseAddress.map({ $0 + bytes.count }) else {
        throw OpenSSLError("d2i_PKCS8_PRIV_KEY_INFO", refusing: "something follows the key")
      }
      return try check("EVP_PKCS82PKEY", EVP_PKCS82PKEY(structure))
    }
    let handle = KeyHandle(owning: raw)
    try handle.checkPair()
    try self.init(handle)
  }

  /// The key as an unencrypted PKCS #8 structure in DER (RFC 5958).
  package func pkcs8() throws(OpenSSLError) -> Secret {
    let structure = try check("EVP_PKEY2PKCS8", EVP_PKEY2PKCS8(handle.raw))
    defer { PKCS8_PRIV_KEY_INFO_free(structure) }
    let count = i2d_PKCS8_PRIV_KEY_INFO(structure, nil)
    guard count > 0 else { throw OpenSSLError("i2d_PKCS8_PRIV_KEY_INFO") }
    return try Secret(count: Int(count)) { output throws(OpenSSLError) in
      var position = output.baseAddress
      guard i2d_PKCS8_PRIV_KEY_INFO(structure, &position) == count else {
        throw OpenSSLError("i2d_PKCS8_PRIV_KEY_INFO")
      }
    }
  }
}
