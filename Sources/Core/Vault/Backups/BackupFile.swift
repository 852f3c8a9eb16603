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
