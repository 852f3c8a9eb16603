internal import Glibc
internal import OpenSSL
internal import SystemCalls

/// A backup where it lies; what takes long is done beside the loop.
struct BackupFile: Sendable {
  let path: String

  /// What seals a backup now.
  struct Keys: Sendable {
    let current: Secret
    /// The current key's material, sealed by the recovery key.
    let spare: [UInt8]?
  }

  /// Seals a file as this backup, whole or not at all, and says how large it is.
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
      try StableFile.appear(target, temporary, as: path)
      replaced?.forgetKeys()
    } catch {
      unlink(temporary)
      throw error
    }
    return Int(lseek(target, 0, SEEK_END))
  }

  /// Opens the backup into a new file, by whichever of the keys does; returns the key of what is sealed in it.
  func read(into copy: String, openedBy keys: [Secret]) throws -> Secret {
    try OpenBackup(path).read(into: copy, openedBy: keys)
  }

  /// The header; `nil` if the file is no backup.
  var header: BackupHeader? { try? OpenBackup(path).header }

  /// Removes the backup, first what it opens by.
  func destroy() {
    if let open = try? OpenBackup(path, O_RDWR) { open.forgetKeys() }
    unlink(path)
  }
}

/// What a backup begins with: what it is, when it was made, and by what it opens.
struct BackupHeader: Sendable {
  /// Random, which ties the keys and the content to each other.
  let id: [UInt8]
  /// Milliseconds since the Unix epoch.
  let createdAt: Int64
  /// Two, so that a new key-encryption key can open the backup before the old one no longer does.
  var slots: [Slot]

  /// The key of the content, sealed by a key-encryption key, with that key's spare copy for a recovery key.
  struct Slot: Sendable, Equatable {
    var key: [UInt8]
    var spare: [UInt8]

    static let sealedCount = 60
    static let empty = Slot(key: zeros, spare: zeros)
    private static let zeros = [UInt8](repeating: 0, count: sealedCount)

    init(key: [UInt8], spare: [UInt8]?) {
      self.key = key
      // A spare of another length would be that of material that nobody here has made.
      self.spare = spare.flatMap { $0.count == Self.sealedCount ? $0 : nil } ?? Self.zeros
    }

    var isEmpty: Bool { self == .empty }
  }

  private static let idCount = 16
  static let slotCount = 2
  static let byteCount = fixedCount + slotCount * 2 * Slot.sealedCount
  /// How long it is before the first slot.
  private static let fixedCount = magic.count + idCount + 8
  private static let magic = Array("mfad backup 1\n\0\0".utf8)

  init(createdAt: Int64) throws {
    (id, self.createdAt) = (try randomBytes(Self.idCount), createdAt)
    slots = [.empty, .empty]
  }

  /// What never changes, by which the content is authenticated.
  var fixed: [UInt8] {
    Self.magic + id + (0..<8).reversed().map { UInt8(truncatingIfNeeded: createdAt >> ($0 * 8)) }
  }

  var bytes: [UInt8] { fixed + slots.flatMap { $0.key + $0.spare } }

  /// The header that a file begins with; `nil` if it is none.
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

  /// Where a slot lies in the file; it is written in its place, within one sector.
  static func offset(ofSlot slot: Int) -> Int { fixedCount + slot * 2 * Slot.sealedCount }

  // MARK: Keys

  private var label: SealLabel { SealLabel("backup.key", row: "\(id)", owner: 0) }

  /// The content's key as a slot has it.
  func slot(_ contentKey: Secret, sealedBy key: Secret, spare: [UInt8]?) throws -> Slot {
    Slot(key: try DataKey(key).seal(contentKey, as: label), spare: spare)
  }

  /// The content's key, and the slot that this key opens; `nil` if it opens none.
  func contentKey(openedBy key: Secret) -> (key: Secret, slot: Int)? {
    for (number, slot) in slots.enumerated() {
      if let content = try? DataKey(key).openSecret(slot.key, as: label) { return (content, number) }
    }
    return nil
  }
}
