internal import Glibc
internal import SystemCalls

/// An unreadable state, kept next to its replacement for a later manual recovery.
///
/// It may contain an owner that is to be erased. Since a single owner cannot be removed from it, it is
/// removed as a whole.
enum DamagedState {
  private static let endings = ["", "-wal"]

  /// Adds a second name (hard link) to the database files, replacing an earlier damaged state.
  static func keep(_ database: String) {
    for ending in endings where access(database + ending, F_OK) == 0 {
      unlink(name(of: database) + ending)
      link(database + ending, name(of: database) + ending)
    }
  }

  /// Overwrites and removes the damaged state, if there is one; blocks until this is done.
  static func destroy(besides database: String) {
    for ending in endings {
      let path = name(of: database) + ending
      let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { continue }
      let count = lseek(descriptor, 0, SEEK_END)
      lseek(descriptor, 0, SEEK_SET)
      for start in stride(from: 0, to: count, by: BackupContent.pieceCount) {
        let piece = [UInt8](repeating: 0, count: min(count - start, BackupContent.pieceCount))
        guard (try? writeWhole(piece, to: descriptor)) != nil else { break }
      }
      fdatasync(descriptor)
      close(descriptor)
      unlink(path)
    }
  }

  private static func name(of database: String) -> String { database + ".damaged" }
}
