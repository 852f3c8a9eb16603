import COpenSSL

private let singleStepMethod = FetchedMethod(EVP_KDF_fetch(nil, "SSKDF", nil))

/// Derives a key of so many bytes from a shared secret by the Concat KDF with SHA-256 (NIST SP 800-56A section 5.8.1).
package func singleStepKey(
  from sharedSecret: Secret,
  info: [UInt8],
  count: Int
) throws(OpenSSLError) -> Secret {
  let parameters = Parameters()
  parameters.add("digest", text: HashAlgorithm.sha256.name)
  parameters.add("key", bytes: sharedSecret)
  parameters.add("info", bytes: Secret(copying: info))
  return try singleStepMethod.deriveKey(parameters, count: count)
}
