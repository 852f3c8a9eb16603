import COpenSSL

/// An algorithm's implementation, looked up once for the life of the process: a look-up costs more than a short hash.
struct FetchedMethod: @unchecked Sendable {
  // Safety: the library never changes a fetched method, and this one is never freed.
  private let raw: OpaquePointer?

  /// Holds what a fetch answered.
  init(_ raw: OpaquePointer?) { self.raw = raw }

  /// The method, or an error if this library has none of that name.
  func pointer(_ call: StaticString) throws(OpenSSLError) -> OpaquePointer {
    guard let raw else { throw OpenSSLError(call, refusing: "the library does not have the algorithm") }
    return raw
  }
}
