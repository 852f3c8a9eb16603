internal import COpenSSL
internal import Synchronization

/// The two arenas of locked memory: ours for `Secret`s, and the library's for the keys that it works with.
public enum SecretMemory {
  private static let arena = Mutex<SecretArena?>(nil)
  /// How many secrets lie outside the arena.
  private static let strays = Atomic(0)
  private static let smallestPart = 32
  /// What the library does not do here: be taken down while the process exits, when a thread that derives a key has not
  /// ended; and list its algorithms by the names of before 3.0, which nobody asks for and each start would pay for.
  private static let omissions =
    OPENSSL_INIT_NO_ATEXIT | OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS

  /// Makes both arenas, of at least so many bytes each, and answers whether both could be locked into memory.
  ///
  /// Called once when the process starts; a later call changes nothing and answers `false`. Without an arena, and
  /// beyond its size, secrets live in ordinary memory and are wiped all the same.
  public static func lock(bytes: Int) -> Bool {
    guard OPENSSL_init_crypto(UInt64(omissions), nil) == 1 else { return false }
    var size = 4096
    while size < bytes { size *= 2 }
    let isFirst = arena.withLock { arena in
      guard arena == nil else { return false }
      arena = SecretArena(bytes: size)
      return arena != nil
    }
    return isFirst && CRYPTO_secure_malloc_init(size, smallestPart) == 1
  }

  /// Whether every secret that there is lies in the arena.
  public static var holdsAll: Bool { strays.load(ordering: .relaxed) == 0 }

  /// Room for so many bytes.
  static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    if let room = arena.withLock({ $0 })?.allocate(count) { return room }
    // A full arena is no reason to stop. No bytes would be no address.
    guard let room = CRYPTO_malloc(max(count, 1), nil, 0) else {
      preconditionFailure("no memory is left for a key")
    }
    strays.wrappingAdd(1, ordering: .relaxed)
    return room
  }

  /// Wipes and gives back what was allocated for so many bytes.
  static func free(_ room: UnsafeMutableRawPointer, _ count: Int) {
    if let arena = arena.withLock({ $0 }), arena.holds(room) { return arena.free(room, count) }
    CRYPTO_clear_free(room, max(count, 1), nil, 0)
    strays.wrappingSubtract(1, ordering: .relaxed)
  }
}

/// Overwrites the bytes in a way that the compiler cannot leave out, and empties the array.
///
/// The array must be the only holder of its bytes: what shares them with another value is copied before it is wiped.
public func wipe(_ bytes: inout [UInt8]) {
  bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
  bytes = []
}

/// Whether both are the same bytes, in a time that depends on their lengths only.
public func constantTimeEqual(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
  one.withContiguousBytes { one in
    other.withContiguousBytes { other in
      guard one.count == other.count else { return false }
      return one.isEmpty || CRYPTO_memcmp(one.baseAddress, other.baseAddress, one.count) == 0
    }
  }
}

extension Collection<UInt8> {
  /// Lends the bytes in one piece; a collection that is not in one piece is copied, and the copy wiped.
  func withContiguousBytes<Value, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let outcome = withContiguousStorageIfAvailable { storage in
      Result { () throws(Failure) in try body(storage) }
    }
    if let outcome { return try outcome.get() }
    var copy = Array(self)
    defer { wipe(&copy) }
    return try copy.withUnsafeBufferPointer(body)
  }
}
