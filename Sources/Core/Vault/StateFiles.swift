internal import Glibc
internal import SQLite

/// The identities of an open database file and its WAL.
///
/// A commit to a file that was moved, deleted or replaced would be lost at the next start.
struct StateFiles {
  private let files: [(path: String, identity: FileIdentity)]

  /// Records the files of an open database; a database that is not writable may have no WAL.
  init(of path: String, isReadOnly: Bool) throws(SQLiteError) {
    files = try (isReadOnly ? [""] : ["", "-wal"]).map { ending throws(SQLiteError) in
      guard let identity = FileIdentity(path + ending) else { throw Self.replaced(path + ending) }
      return (path + ending, identity)
    }
  }

  /// Throws `replaced` unless each file is still at its path.
  func check() throws(SQLiteError) {
    guard let moved = files.first(where: { FileIdentity($0.path) != $0.identity }) else { return }
    throw Self.replaced(moved.path)
  }

  private static func replaced(_ path: String) -> SQLiteError {
    SQLiteError(.replaced, "another program moved, deleted or replaced \(path)")
  }

  /// Throws `missing` if there is no database, although a WAL, a key or a rollback counter belongs to one.
  ///
  /// SQLite would create an empty database and discard the WAL.
  static func checkBeforeOpening(_ path: String, key: String, counter: String) throws(SQLiteError) {
    guard size(of: path) == 0 else { return }
    let remains = [path + "-wal", key, counter].filter { size(of: $0) > 0 }
    guard remains.isEmpty else {
      throw SQLiteError(.missing, "\(path) is missing, but there is \(remains.joined(separator: " and "))")
    }
  }

  /// Returns 0 if there is no file.
  static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}

/// The device and inode of a file.
private struct FileIdentity: Equatable {
  private let device: dev_t
  private let inode: ino_t

  /// `nil` if there is no file at the path.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }
}
