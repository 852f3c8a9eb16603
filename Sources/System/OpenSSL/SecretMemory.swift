internal import COpenSSL
internal import Journal
internal import Synchronization

/// The two arenas of locked memory: this module's arena for `Secret`s, and OpenSSL's arena for the keys that
/// it computes with.
public enum SecretMemory {
  private static let arena = Mutex<SecretArena?>(nil)
  /// Number of secrets outside the arena.
  private static let strays = Atomic(0)
  /// True after the journal has reported that the arena is full.
  private static let isFullReported = Atomic(false)
  private static let smallestPart = 32
  /// Options: the library does not clean up at exit, because a derivation thread may still run.
  ///
  /// It does not register the algorithm names of versions before 3.0, which are unused and would slow down
  /// each start.
  private static let omissions =
    OPENSSL_INIT_NO_ATEXIT | OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS

  /// Creates both arenas, of at least `bytes` bytes each; returns true if both are locked into memory.
  ///
  /// Called once at process start; a later call has no effect and returns false. Without an arena, or if it
  /// is full, secrets are in ordinary memory and are wiped as well.
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

  /// True if every secret is in the arena.
  public static var holdsAll: Bool { strays.load(ordering: .relaxed) == 0 }

  /// Allocates `count` bytes.
  static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    let arena = arena.withLock { $0 }
    if let room = arena?.allocate(count) { return room }
    // Falls back to ordinary memory. CRYPTO_malloc returns a null pointer for 0 bytes.
    guard let room = CRYPTO_malloc(max(count, 1), nil, 0) else {
      preconditionFailure("no memory is left for a key")
    }
    strays.wrappingAdd(1, ordering: .relaxed)
    if arena != nil, !isFullReported.exchange(true, ordering: .relaxed) {
      Journal.warning(
        "the locked memory is full; further keys are in memory that may be swapped out",
        ["remedy": "raise LimitMEMLOCK of the unit, then restart mfad"]
      )
    }
    return room
  }

  /// Wipes and frees an allocation of `count` bytes.
  static func free(_ room: UnsafeMutableRawPointer, _ count: Int) {
    if let arena = arena.withLock({ $0 }), arena.holds(room) { return arena.free(room, count) }
    CRYPTO_clear_free(room, max(count, 1), nil, 0)
    strays.wrappingSubtract(1, ordering: .relaxed)
  }
}

/// Overwrites the bytes with a function that the compiler cannot optimise away, and empties the array.
///
/// The array must be the only reference to its storage. Otherwise Swift copies the storage and wipes the
/// copy.
public func wipe(_ bytes: inout [UInt8]) {
  bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
  bytes = []
}

/// True if both collections have the same bytes; the run time depends only on their lengths.
public func constantTimeEqual(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
  one.withContiguousBytes { one in
    other.withContiguousBytes { other in
      guard one.count == other.count else { return false }
      return one.isEmpty || CRYPTO_memcmp(one.baseAddress, other.baseAddress, one.count) == 0
    }
  }
}

extension Collection<UInt8> {
  /// Passes the bytes as contiguous memory.
  ///
  /// If they are not contiguous, passes a copy and wipes it afterwards.
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
