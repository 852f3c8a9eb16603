internal import Glibc
internal import OpenSSL
internal import SystemCalls

/// A file that is sealed in chunks with AES-256-GCM.
///
/// The nonce contains the chunk's number and whether it is the last one, so that no chunk can be omitted,
/// repeated, exchanged or cut off.
///
/// The sealed content is the key-encryption key of the database, followed by the database file.
struct BackupContent {
  let header: BackupHeader
  /// A key that seals only this content: nonces are counters, so another content would repeat them.
  let key: Secret

  static let pieceCount = 64 * 1024

  /// Seals a key and a file and writes the result at the current offset of `target`.
  func seal(_ innerKey: Secret, fileAt path: String, into target: Int32) throws {
    let source = try Self.open(path)
    defer { close(source) }
    let count = try Self.size(of: source) + innerKey.count
    var piece = innerKey.withBytes { Array($0) }
    defer { wipe(&piece) }
    for number in 0..<Self.pieces(of: count) {
      let isLast = number == Self.pieces(of: count) - 1
      piece += try Self.read(
        source,
        isLast ? count - number * Self.pieceCount - piece.count : Self.pieceCount - piece.count
      )
      let sealed = try AESGCM.seal(
        piece,
        key: key,
        nonce: Self.nonce(number, isLast: isLast),
        associatedData: header.fixed
      )
      try writeWhole(sealed.ciphertext + sealed.tag, to: target)
      wipe(&piece)
      piece = []
    }
  }

  /// Decrypts the content from the current offset of `source` into a new file, and returns the key that
  /// precedes the file.
  func open(_ source: Int32, into path: String) throws -> Secret {
    let target = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard target >= 0 else { throw SystemError("open") }
    defer { close(target) }
    let sealed = try Self.sealed(in: source)
    var innerKey: Secret?
    for number in 0..<sealed.pieces {
      var piece = try open(number, of: sealed, from: source)
      defer { wipe(&piece) }
      if innerKey == nil {
        guard piece.count >= DataKey.byteCount else { throw SealingError.damaged }
        innerKey = Secret(copying: piece.prefix(DataKey.byteCount))
        try writeWhole(Array(piece.dropFirst(DataKey.byteCount)), to: target)
      } else {
        try writeWhole(piece, to: target)
      }
    }
    guard let innerKey else { throw SealingError.damaged }
    return innerKey
  }

  /// Decrypts only the last chunk, to detect a truncated or extended file.
  ///
  /// Throws: any error if the chunk does not open.
  func checkEnd(of source: Int32) throws {
    let sealed = try Self.sealed(in: source)
    lseek(source, off_t(BackupHeader.byteCount + (sealed.pieces - 1) * Self.sealedPieceCount), SEEK_SET)
    var piece = try open(sealed.pieces - 1, of: sealed, from: source)
    wipe(&piece)
  }

  private static let sealedPieceCount = pieceCount + AESGCM.tagByteCount

  /// Returns the number of sealed bytes in a file and the number of chunks.
  private static func sealed(in source: Int32) throws -> (count: Int, pieces: Int) {
    let count = try size(of: source) - BackupHeader.byteCount
    return (count, max((count + sealedPieceCount - 1) / sealedPieceCount, 1))
  }

  /// Decrypts a chunk at the current offset of the descriptor.
  private func open(
    _ number: Int,
    of sealed: (count: Int, pieces: Int),
    from source: Int32
  ) throws -> [UInt8] {
    let isLast = number == sealed.pieces - 1
    let rest = sealed.count - number * Self.sealedPieceCount
    let piece = try Self.read(source, isLast ? rest : Self.sealedPieceCount)
    guard piece.count >= AESGCM.tagByteCount else { throw SealingError.damaged }
    return try AESGCM.open(
      ciphertext: piece.dropLast(AESGCM.tagByteCount),
      tag: Array(piece.suffix(AESGCM.tagByteCount)),
      key: key,
      nonce: Self.nonce(number, isLast: isLast),
      associatedData: header.fixed
    )
  }

  private static func pieces(of count: Int) -> Int { (count + pieceCount - 1) / pieceCount }

  private static func nonce(_ number: Int, isLast: Bool) -> [UInt8] {
    let count = (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    return [0, 0, 0] + count + [isLast ? 1 : 0]
  }

  private static func open(_ path: String) throws -> Int32 {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw SystemError("open") }
    return descriptor
  }

  private static func size(of descriptor: Int32) throws -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError("fstat") }
    return Int(status.st_size)
  }

  /// Reads `count` bytes, or fewer at the end of the file.
  private static func read(_ descriptor: Int32, _ count: Int) throws -> [UInt8] {
    guard count > 0 else { return [] }
    return try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let more = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled)
        guard more >= 0 else { throw SystemError("read") }
        guard more > 0 else { return }
        filled += more
      }
    }
  }
}
