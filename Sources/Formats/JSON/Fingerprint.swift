/// A few bits that stand for a name: what has other bits is another name.
///
/// Whoever makes messages can make long names that have the same, so that nothing may be concluded from that. Of
/// names that are equally long, and not too long, each has its own.
struct Fingerprint: Equatable {
  let bits: UInt64

  /// The most bytes of a name whose bits, with their count, are the whole name: all of them are in the bits, and what
  /// mixes them can be undone.
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
    // The last eight bytes, or all of what is shorter; some of its bytes may be in it twice.
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

  /// The fingerprint of a text that came as its bytes.
  init(_ text: String) {
    // The text of a String is contiguous, except for one that came from another runtime.
    self = text.utf8.withContiguousStorageIfAvailable { Fingerprint($0) } ?? Fingerprint(Array(text.utf8))
  }

  private init(_ bytes: [UInt8]) { self = bytes.withUnsafeBufferPointer { Fingerprint($0) } }

  private static func mix(_ mixed: UInt64, _ word: UInt64) -> UInt64 {
    let product = (mixed ^ word) &* odd
    return product ^ product >> 32
  }
}
