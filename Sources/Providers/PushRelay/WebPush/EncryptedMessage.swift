internal import OpenSSL

/// What a sender of Web Push leaves: the header of the content coding aes128gcm (RFC 8188 section 2.1) and exactly one
/// record (RFC 8291 section 4), taken apart and not opened yet.
struct EncryptedMessage: Sendable {
  let salt: [UInt8]
  /// The point of the key that the sender made for this message.
  let senderPoint: [UInt8]
  let ciphertext: [UInt8]
  let tag: [UInt8]

  /// Twice as much as a relay is told to take.
  static let maximumCount = 32 * 1024
  private static let saltCount = 16
  private static let pointCount = 65
  private static let headerCount = saltCount + 4 + 1 + pointCount
  /// A record holds at least the delimiter of its padding and the tag.
  private static let minimumCount = headerCount + 1 + AESGCM.tagByteCount

  /// Takes a message apart, before anything is computed with it.
  init(_ bytes: [UInt8]) throws(WebPushFault) {
    guard (Self.minimumCount...Self.maximumCount).contains(bytes.count) else { throw .length }
    salt = Array(bytes[..<Self.saltCount])
    let recordSize = bytes[Self.saltCount..<(Self.saltCount + 4)].reduce(0) { $0 << 8 | Int($1) }
    guard Int(bytes[Self.saltCount + 4]) == Self.pointCount else { throw .senderKey }
    senderPoint = Array(bytes[(Self.headerCount - Self.pointCount)..<Self.headerCount])
    let record = bytes[Self.headerCount...]
    // The size of records is greater than the only one: with an equal one another would follow.
    guard recordSize > record.count else { throw .recordSize }
    (ciphertext, tag) = (
      Array(record.dropLast(AESGCM.tagByteCount)), Array(record.suffix(AESGCM.tagByteCount))
    )
  }
}
