internal import Glibc
internal import OpenSSL
internal import SystemCalls

/// An open backup; access is checked when it is opened, and a later change of the path has no effect.
public final class OpenBackup {
  let header: BackupHeader
  private let descriptor: Int32

  public convenience init(_ path: String) throws { try self.init(path, O_RDONLY) }

  init(_ path: String, _ flags: Int32) throws {
    let descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw SystemError("open") }
    var bytes = [UInt8](repeating: 0, count: BackupHeader.byteCount)
    guard Glibc.read(descriptor, &bytes, bytes.count) == bytes.count, let header = BackupHeader(bytes) else {
      close(descriptor)
      throw BackupError.noBackup
    }
    (self.header, self.descriptor) = (header, descriptor)
  }

  deinit { close(descriptor) }

  /// Finds the first key that opens the backup, and decrypts the backup with it into a new file.
  ///
  /// Returns the key-encryption key that the backup contains.
  func read(into copy: String, openedBy keys: [Secret]) throws -> Secret {
    for key in keys {
      guard let content = header.contentKey(openedBy: key) else { continue }
      do {
        lseek(descriptor, off_t(BackupHeader.byteCount), SEEK_SET)
        return try BackupContent(header: header, key: content.key).open(descriptor, into: copy)
      } catch {
        unlink(copy)
        throw error is SystemError ? error : BackupError.damaged
      }
    }
    throw BackupError.noKey
  }

  /// True if this key opens the backup and its last chunk is intact; does not read the whole file.
  func opens(by key: Secret) -> Bool {
    guard let content = header.contentKey(openedBy: key) else { return false }
    do { try BackupContent(header: header, key: content.key).checkEnd(of: descriptor) } catch { return false }
    return true
  }

  /// Overwrites a slot in place; the slot is on the disk when this returns.
  func put(_ slot: BackupHeader.Slot, at number: Int) throws {
    let bytes = slot.key + slot.spare
    let offset = off_t(BackupHeader.offset(ofSlot: number))
    guard pwrite(descriptor, bytes, bytes.count, offset) == bytes.count else { throw SystemError("pwrite") }
    guard fsync(descriptor) == 0 else { throw SystemError("fsync") }
  }

  /// Overwrites all keys, so that the backup cannot be opened any more.
  func forgetKeys() {
    for number in 0..<BackupHeader.slotCount { try? put(.empty, at: number) }
  }
}

/// The reason that a backup cannot be used.
public enum BackupError: Error, CustomStringConvertible {
  case noBackup
  /// No available key opens it.
  case noKey
  /// A key opens it, but the content was changed.
  case damaged

  public var description: String {
    switch self {
    case .noBackup: "this file is not a backup"
    case .noKey: "no available key opens this backup"
    case .damaged: "this backup is damaged"
    }
  }
}
