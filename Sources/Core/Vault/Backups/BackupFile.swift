internal import Glibc
internal import OpenSSL
internal import SystemCalls

/// A backup file by its path; slow operations run on a worker thread.
struct BackupFile: Sendable {
  let path: String

  /// The keys that seal a new backup.
  struct Keys: Sendable {
    let current: Secret
    /// The current key's material, sealed by the recovery key.
    let spare: [UInt8]?
  }

  /// Seals a file as this backup, which appears completely or not at all; returns its size in bytes.
  func write(_ copy: String, createdAt: Int64, innerKey: Secret, keys: Keys) throws -> Int {
    let temporary = path + ".new"
    unlink(temporary)
    let target = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard target >= 0 else { throw SystemError("open") }
    defer { close(target) }
    do {
      var header = try BackupHeader(createdAt: createdAt)
      let content = BackupContent(header: header, key: try Secret.random(count: DataKey.byteCount))
      header.slots[0] = try header.slot(content.key, sealedBy: keys.current, spare: keys.spare)
      try writeWhole(header.bytes, to: target)
      try content.seal(innerKey, fileAt: copy, into: target)
      let replaced = try? OpenBackup(path, O_RDWR)
      try AtomicFile.appear(target, temporary, as: path)
      replaced?.forgetKeys()
    } catch {
      unlink(temporary)
      throw error
    }
    return Int(lseek(target, 0, SEEK_END))
  }

  /// Decrypts the backup into a new file with the first of the keys that opens it.
  ///
  /// Returns the key of the sealed values.
  func read(into copy: String, openedBy keys: [Secret]) throws -> Secret {
    try OpenBackup(path).read(into: copy, openedBy: keys)
  }

  /// The header; nil if the file is not a backup.
  var header: BackupHeader? { try? OpenBackup(path).header }

  /// Removes the backup, after overwriting its keys.
  func destroy() {
    if let open = try? OpenBackup(path, O_RDWR) { open.forgetKeys() }
    unlink(path)
  }
}

/// The header of a backup: the format, the creation time and the key slots.
struct BackupHeader: Sendable {
  /// A random id, which binds the keys and the content to each other.
  let id: [UInt8]
  /// Milliseconds since the Unix epoch.
  let createdAt: Int64
  /// Two slots, so that a new key-encryption key can be added before the old one is removed.
  var slots: [Slot]

  /// The content's key, sealed by a key-encryption key, and the recovery copy of that key-encryption key.
  struct Slot: Sendable, Equatable {
    var key: [UInt8]
    var spare: [UInt8]

    static let sealedCount = 60
    static let empty = Slot(key: zeros, spare: zeros)
    private static let zeros = [UInt8](repeating: 0, count: sealedCount)

    init(key: [UInt8], spare: [UInt8]?) {
      self.key = key
      // A recovery copy of another length is ignored; no version of mfad makes one.
      self.spare = spare.flatMap { $0.count == Self.sealedCount ? $0 : nil } ?? Self.zeros
    }

    var isEmpty: Bool { self == .empty }
  }

  private static let idCount = 16
  static let slotCount = 2
  static let byteCount = fixedCount + slotCount * 2 * Slot.sealedCount
  /// Number of bytes before the first slot.
  private static let fixedCount = magic.count + idCount + 8
  private static let magic = Array("mfad backup 1\n\0\0".utf8)

  init(createdAt: Int64) throws {
    (id, self.createdAt) = (try randomBytes(Self.idCount), createdAt)
    slots = [.empty, .empty]
  }

  /// The unchanging part, which is the associated data of the content's encryption.
  var fixed: [UInt8] {
    Self.magic + id + (0..<8).reversed().map { UInt8(truncatingIfNeeded: createdAt >> ($0 * 8)) }
  }

  var bytes: [UInt8] { fixed + slots.flatMap { $0.key + $0.spare } }

  /// Parses the header of a file; nil if it is not a backup's header.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount, bytes.starts(with: Self.magic) else { return nil }
    let rest = bytes.dropFirst(Self.magic.count)
    id = Array(rest.prefix(Self.idCount))
    createdAt = rest.dropFirst(Self.idCount).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    slots = (0..<Self.slotCount).map { slot in
      let start = Self.offset(ofSlot: slot)
      let spare = start + Slot.sealedCount
      return Slot(key: Array(bytes[start..<spare]), spare: Array(bytes[spare..<spare + Slot.sealedCount]))
    }
  }

  /// Returns the offset of a slot in the file; a slot is overwritten in place, within one sector.
  static func offset(ofSlot slot: Int) -> Int { fixedCount + slot * 2 * Slot.sealedCount }

  // MARK: Keys

  private var label: SealLabel { SealLabel("backup.key", row: "\(id)", owner: 0) }

  /// Returns a slot with the content's key, sealed by `key`.
  func slot(_ contentKey: Secret, sealedBy key: Secret, spare: [UInt8]?) throws -> Slot {
    Slot(key: try DataKey(key).seal(contentKey, as: label), spare: spare)
  }

  /// Returns the content's key and the number of the slot that `key` opens; nil if it opens none.
  func contentKey(openedBy key: Secret) -> (key: Secret, slot: Int)? {
    for (number, slot) in slots.enumerated() {
      if let content = try? DataKey(key).openSecret(slot.key, as: label) { return (content, number) }
    }
    return nil
  }
}
