internal import COpenSSL

/// An implementation of an algorithm, fetched once per process, because a fetch costs more than a short hash.
struct FetchedMethod: @unchecked Sendable {
  // Safety: the library never changes a fetched method, and this one is never freed.
  private let raw: OpaquePointer?

  /// Stores the result of a fetch.
  init(_ raw: OpaquePointer?) { self.raw = raw }

  /// Returns the method; throws an error if the library does not have it.
  func pointer(_ call: StaticString) throws(OpenSSLError) -> OpaquePointer {
    guard let raw else { throw OpenSSLError(call, refusing: "the library does not have the algorithm") }
    return raw
  }
}

extension FetchedMethod {
  /// Derives a key of `count` bytes.
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
