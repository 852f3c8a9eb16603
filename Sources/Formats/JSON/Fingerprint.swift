/// A 64-bit hash of a name.
///
/// Names with different fingerprints are different.
///
/// Different names with the same length of up to `wholeLength` bytes have different fingerprints. For longer
/// names, equal fingerprints prove nothing, because an attacker can create names with equal fingerprints.
struct Fingerprint: Equatable {
  let bits: UInt64

  /// Maximum length in bytes of a name that its fingerprint and its length identify.
  ///
  /// The fingerprint then contains all bytes, and the mixing is reversible.
  static let wholeLength = 8

  private static let odd: UInt64 = 0x9E37_79B9_7F4A_7C15

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    let bytes = UnsafeRawBufferPointer(bytes)
    var mixed = UInt64(bytes.count)
    var offset = 0
    while offset + 8 < bytes.count {
      mixed = Self.mix(mixed, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    // The last eight bytes, or all bytes of a shorter name. Some of them may be included twice.
    let end: UInt64 =
      switch bytes.count {
      case 8...: bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
      case 4...:
        UInt64(bytes.loadUnaligned(as: UInt32.self)) << 32
          | UInt64(bytes.loadUnaligned(fromByteOffset: bytes.count - 4, as: UInt32.self))
      case 1...:
        UInt64(bytes[0]) << 16 | UInt64(bytes[bytes.count / 2]) << 8 | UInt64(bytes[bytes.count - 1])
      default: 0
      }
    bits = Self.mix(mixed, end)
  }

  /// Creates the fingerprint of a string's UTF-8 bytes.
  init(_ text: String) {
    // A String's UTF-8 is contiguous, except for strings of another runtime.
    self = text.utf8.withContiguousStorageIfAvailable { Fingerprint($0) } ?? Fingerprint(Array(text.utf8))
  }

  private init(_ bytes: [UInt8]) { self = bytes.withUnsafeBufferPointer { Fingerprint($0) } }

  private static func mix(_ mixed: UInt64, _ word: UInt64) -> UInt64 {
    let product = (mixed ^ word) &* odd
    return product ^ product >> 32
  }
}
