internal import Glibc
internal import OpenSSL
internal import SystemCalls

/// A backup that whoever opened it may read, whatever its name leads to afterwards.
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

  /// Opens what is sealed in it into a new file, by whichever of the keys does; returns the key of what lies there.
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

  /// Whether this key opens it, and its end is there, as far as can be told without reading all of it.
  func opens(by key: Secret) -> Bool {
    guard let content = header.contentKey(openedBy: key) else { return false }
    do { try BackupContent(header: header, key: content.key).checkEnd(of: descriptor) } catch { return false }
    return true
  }

  /// Puts a slot in its place, on the disk when this returns.
  func put(_ slot: BackupHeader.Slot, at number: Int) throws {
    let bytes = slot.key + slot.spare
    let offset = off_t(BackupHeader.offset(ofSlot: number))
    guard pwrite(descriptor, bytes, bytes.count, offset) == bytes.count else { throw SystemError("pwrite") }
    guard fsync(descriptor) == 0 else { throw SystemError("fsync") }
  }

  /// Leaves nothing by which it opens.
  func forgetKeys() {
    for number in 0..<BackupHeader.slotCount { try? put(.empty, at: number) }
  }
}

/// Why a backup cannot be used.
public enum BackupError: Error, CustomStringConvertible {
  case noBackup
  /// Nothing here opens it.
  case noKey
  /// It opens, and is not what was sealed.
  case damaged

  public var description: String {
    switch self {
    case .noBackup: "this is no backup"
    case .noKey: "no key that is here opens this backup"
    case .damaged: "this backup is damaged"
    }
  }
}
