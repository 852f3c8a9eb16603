import COpenSSL

/// The hashes that passcodes and tokens use.
public enum HashAlgorithm: Sendable, CaseIterable {
  case sha1, sha256, sha384, sha512

  /// The length of a hash in bytes.
  public var byteCount: Int {
    switch self {
    case .sha1: 20
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// The name of the hash in the library.
  var name: StaticString {
    switch self {
    case .sha1: "SHA1"
    case .sha256: "SHA256"
    case .sha384: "SHA384"
    case .sha512: "SHA512"
    }
  }

  private static let sha1Method = FetchedMethod(EVP_MD_fetch(nil, "SHA1", nil))
  private static let sha256Method = FetchedMethod(EVP_MD_fetch(nil, "SHA256", nil))
  private static let sha384Method = FetchedMethod(EVP_MD_fetch(nil, "SHA384", nil))
  private static let sha512Method = FetchedMethod(EVP_MD_fetch(nil, "SHA512", nil))

  /// Returns the library's implementation of the hash.
  func method() throws(OpenSSLError) -> OpaquePointer {
    let fetched =
      switch self {
      case .sha1: Self.sha1Method
      case .sha256: Self.sha256Method
      case .sha384: Self.sha384Method
      case .sha512: Self.sha512Method
      }
    return try fetched.pointer("EVP_MD_fetch")
  }
}

/// Returns the hash of the bytes.
public func digest(
  _ bytes: some Collection<UInt8>,
  _ algorithm: HashAlgorithm
) throws(OpenSSLError) -> [UInt8] {
  let method = try algorithm.method()
  var hash = [UInt8](repeating: 0, count: algorithm.byteCount)
  try bytes.withContiguousBytes { bytes throws(OpenSSLError) in
    try check("EVP_Digest", EVP_Digest(bytes.baseAddress, bytes.count, &hash, nil, method, nil))
  }
  return hash
}
