internal import COpenSSL
internal import Synchronization

private let hkdfMethod = FetchedMethod(EVP_KDF_fetch(nil, "HKDF", nil))

/// Derives a key of `count` bytes from a shared secret by HKDF with SHA-256, extract and expand (RFC 5869).
public func hkdfKey(
  from sharedSecret: Secret,
  salt: Secret,
  info: [UInt8],
  count: Int
) throws(OpenSSLError) -> Secret {
  let parameters = parameters(sharedSecret, info)
  parameters.add("salt", bytes: salt)
  return try hkdfMethod.deriveKey(parameters, count: count)
}

private let singleStepMethod = FetchedMethod(EVP_KDF_fetch(nil, "SSKDF", nil))

/// Derives a key of `count` bytes from a shared secret by the Concat KDF with SHA-256 (NIST SP 800-56A
/// section 5.8.1).
public func singleStepKey(
  from sharedSecret: Secret,
  info: [UInt8],
  count: Int
) throws(OpenSSLError) -> Secret {
  try singleStepMethod.deriveKey(parameters(sharedSecret, info), count: count)
}

private func parameters(_ sharedSecret: Secret, _ info: [UInt8]) -> Parameters {
  let parameters = Parameters()
  parameters.add("digest", text: HashAlgorithm.sha256.name)
  parameters.add("key", bytes: sharedSecret)
  parameters.add("info", bytes: Secret(copying: info))
  return parameters
}

/// Held during each scrypt derivation, so that all threads together need the memory of one.
private let scryptMemoryInUse = Mutex(())

/// A deliberately slow derivation of a key from a password.
public enum PasswordKDF: Sendable, Equatable {
  /// RFC 7914: the cost N is a power of two, r is the block size, p the parallelisation.
  case scrypt(salt: [UInt8], cost: Int, blockSize: Int, parallelism: Int)
  /// RFC 8018 section 5.2, with HMAC over this hash.
  case pbkdf2(HashAlgorithm, salt: [UInt8], rounds: Int)

  /// Maximum memory of scrypt: 32 MiB for its large vector, and 1 MiB for the rest.
  private static let scryptMemory: UInt64 = 33 * 1024 * 1024

  /// Derives a key of `count` bytes; blocks for milliseconds to seconds.
  public func key(from password: Secret, count: Int) throws(OpenSSLError) -> Secret {
    try Secret(count: count) { key throws(OpenSSLError) in
      try password.withBuffer { password throws(OpenSSLError) in
        try password.withMemoryRebound(to: CChar.self) { password throws(OpenSSLError) in
          try derive(key, from: password)
        }
      }
    }
  }

  private func derive(
    _ key: UnsafeMutableBufferPointer<UInt8>,
    from password: UnsafeBufferPointer<CChar>
  ) throws(OpenSSLError) {
    let (text, length) = (password.baseAddress, password.count)
    switch self {
    case .scrypt(let salt, let cost, let blockSize, let parallelism):
      guard let n = UInt64(exactly: cost), let r = UInt64(exactly: blockSize),
        let p = UInt64(exactly: parallelism)
      else { throw OpenSSLError("EVP_PBE_scrypt", refusing: "a parameter is negative") }
      let (output, count, memory) = (key.baseAddress, key.count, Self.scryptMemory)
      let status = scryptMemoryInUse.withLock { _ in
        EVP_PBE_scrypt(text, length, salt, salt.count, n, r, p, memory, output, count)
      }
      try check("EVP_PBE_scrypt", status)
    case .pbkdf2(let hash, let salt, let rounds):
      guard let rounds = Int32(exactly: rounds), rounds > 0, let length = Int32(exactly: length),
        let saltLength = Int32(exactly: salt.count), let count = Int32(exactly: key.count)
      else { throw OpenSSLError("PKCS5_PBKDF2_HMAC", refusing: "a number is out of range") }
      let method = try hash.method()
      let output = key.baseAddress
      let status = PKCS5_PBKDF2_HMAC(text, length, salt, saltLength, rounds, method, count, output)
      try check("PKCS5_PBKDF2_HMAC", status)
    }
  }
}
