import COpenSSL

/// Long-lived key bytes that are wiped at deallocation and never printed, in locked memory if it has space.
public final class Secret: @unchecked Sendable {
  // Safety: the bytes are written only before the initializer returns, and then only read.
  private let bytes: UnsafeMutablePointer<UInt8>
  /// The number of bytes.
  public let count: Int

  /// Allocates zeroed bytes, which the other initializers fill.
  private init(count: Int) {
    self.count = count
    bytes = SecretMemory.allocate(count).initializeMemory(as: UInt8.self, repeating: 0, count: max(count, 1))
  }

  /// Copies the bytes; the caller must wipe the original.
  public convenience init(copying bytes: some Collection<UInt8>) {
    self.init(count: bytes.count)
    UnsafeMutableRawBufferPointer(start: self.bytes, count: count).copyBytes(from: bytes)
  }

  /// Creates a secret of `count` bytes that the closure writes in place.
  convenience init(
    count: Int,
    filling fill: (UnsafeMutableBufferPointer<UInt8>) throws(OpenSSLError) -> Void
  ) throws(OpenSSLError) {
    self.init(count: count)
    try fill(UnsafeMutableBufferPointer(start: bytes, count: count))
  }

  deinit { SecretMemory.free(bytes, count) }

  /// Returns a secret of `count` random bytes from the generator for private values.
  public static func random(count: Int) throws(OpenSSLError) -> Secret {
    try Secret(count: count) { room throws(OpenSSLError) in
      try check("RAND_priv_bytes_ex", RAND_priv_bytes_ex(nil, room.baseAddress, count, 0))
    }
  }

  /// Passes the bytes to the closure, which must wipe any copy.
  public func withBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try withBuffer { buffer throws(Failure) in try body(UnsafeRawBufferPointer(buffer)) }
  }

  /// Passes the bytes with the type that the library's functions take.
  func withBuffer<Value, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    // The pointer alone does not keep the secret alive.
    defer { withExtendedLifetime(self) {} }
    return try body(UnsafeBufferPointer(start: bytes, count: count))
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "Secret" }

  public var debugDescription: String { "Secret" }

  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
