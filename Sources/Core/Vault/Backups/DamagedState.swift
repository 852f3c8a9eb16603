internal import Glibc
internal import SystemCalls

/// A state that could not be read, kept beside the one that took its place for whoever can read more of it.
///
/// Somebody may be in it who is to be erased, and cannot be taken out: then it goes as a whole.
enum DamagedState {
  private static let endings = ["", "-wal"]

  /// Keeps the database under another name too, in the place of an earlier one.
  static func keep(_ database: String) {
    for ending in endings where access(database + ending, F_OK) == 0 {
      unlink(name(of: database) + ending)
      link(database + ending, name(of: database) + ending)
    }
  }

  /// Writes over it and removes it, if there is one; blocks for as long as that takes.
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
