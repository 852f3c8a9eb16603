import COpenSSL

private let hkdfMethod = FetchedMethod(EVP_KDF_fetch(nil, "HKDF", nil))

/// Derives a key of so many bytes from a shared secret by HKDF with SHA-256, extracting and expanding (RFC 5869).
package func hkdfKey(
  from sharedSecret: Secret,
  salt: Secret,
  info: [UInt8],
  count: Int
) throws(OpenSSLError) -> Secret {
  let parameters = Parameters()
  parameters.add("digest", text: HashAlgorithm.sha256.name)
  parameters.add("key", bytes: sharedSecret)
  parameters.add("salt", bytes: salt)
  parameters.add("info", bytes: Secret(copying: info))
  return try hkdfMethod.deriveKey(parameters, count: count)
}
