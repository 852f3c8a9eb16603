import COpenSSL
internal import Synchronization

/// The library's HMAC context for one hash, created once per process, because creation takes longer than the
/// computation of a code.
///
/// The library copies the key into ordinary memory, so the context has the key only during a computation.
final class SharedHMAC: Sendable {
  private let context: Mutex<Context>

  private struct Context: @unchecked Sendable {
    // Safety: it is only used under the lock and never freed.
    let raw: OpaquePointer?
  }

  private static let method = FetchedMethod(EVP_MAC_fetch(nil, "HMAC", nil))
  private static let noKey: [UInt8] = [0]

  private static let sha1 = SharedHMAC(.sha1)
  private static let sha256 = SharedHMAC(.sha256)
  private static let sha384 = SharedHMAC(.sha384)
  private static let sha512 = SharedHMAC(.sha512)

  static func of(_ algorithm: HashAlgorithm) -> SharedHMAC {
    switch algorithm {
    case .sha1: sha1
    case .sha256: sha256
    case .sha384: sha384
    case .sha512: sha512
    }
  }

  private init(_ algorithm: HashAlgorithm) { context = Mutex(Context(raw: try? Self.made(algorithm))) }

  private static func made(_ algorithm: HashAlgorithm) throws(OpenSSLError) -> OpaquePointer {
    let method = try Self.method.pointer("EVP_MAC_fetch")
    let context = try check("EVP_MAC_CTX_new", EVP_MAC_CTX_new(method))
    let parameters = Parameters()
    parameters.add("digest", text: algorithm.name)
    try parameters.withList { list throws(OpenSSLError) in
      try check("EVP_MAC_init", EVP_MAC_init(context, noKey, noKey.count, list))
    }
    return context
  }

  /// Writes the code for a message to a buffer that is at least as long as the hash.
  func compute(
    key: UnsafeBufferPointer<UInt8>,
    over message: UnsafeBufferPointer<UInt8>,
    into code: UnsafeMutableBufferPointer<UInt8>
  ) throws(OpenSSLError) {
    try context.withLock { context throws(OpenSSLError) in
      guard let context = context.raw else {
        throw OpenSSLError("EVP_MAC_CTX_new", refusing: "the library has no HMAC with this hash")
      }
      // The library wipes its copy of the key when it gets another key.
      defer { _ = EVP_MAC_init(context, Self.noKey, Self.noKey.count, nil) }
      try check("EVP_MAC_init", EVP_MAC_init(context, key.baseAddress, key.count, nil))
      try check("EVP_MAC_update", EVP_MAC_update(context, message.baseAddress, message.count))
      var count = 0
      try check("EVP_MAC_final", EVP_MAC_final(context, code.baseAddress, &count, code.count))
    }
  }
}
