import COpenSSL

extension FetchedMethod {
  /// A key of so many bytes by this derivation function.
  func deriveKey(_ parameters: Parameters, count: Int) throws(OpenSSLError) -> Secret {
    let method = try pointer("EVP_KDF_fetch")
    let context = try check("EVP_KDF_CTX_new", EVP_KDF_CTX_new(method))
    defer { EVP_KDF_CTX_free(context) }
    return try Secret(count: count) { output throws(OpenSSLError) in
      try parameters.withList { list throws(OpenSSLError) in
        try check("EVP_KDF_derive", EVP_KDF_derive(context, output.baseAddress, output.count, list))
      }
    }
  }
}
