import COpenSSL

private let singleStepMethod = FetchedMethod(EVP_KDF_fetch(nil, "SSKDF", nil))

/// Derives a key of so many bytes from a shared secret by the Concat KDF with SHA-256 (NIST SP 800-56A section 5.8.1).
package func singleStepKey(
  from sharedSecret: Secret,
  info: [UInt8],
  count: Int
) throws(OpenSSLError) -> Secret {
  let method = try singleStepMethod.pointer("EVP_KDF_fetch")
  let context = try check("EVP_KDF_CTX_new", EVP_KDF_CTX_new(method))
  defer { EVP_KDF_CTX_free(context) }
  let parameters = Parameters()
  parameters.add("digest", text: HashAlgorithm.sha256.name)
  parameters.add("key", bytes: sharedSecret)
  parameters.add("info", bytes: Secret(copying: info))
  return try Secret(count: count) { output throws(OpenSSLError) in
    try parameters.withList { list throws(OpenSSLError) in
      try check("EVP_KDF_derive", EVP_KDF_derive(context, output.baseAddress, output.count, list))
    }
  }
}
