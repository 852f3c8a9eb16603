internal import Glibc
internal import SystemCalls

/// Writes files atomically: the new file replaces an existing one only when it is complete and on the disk.
enum AtomicFile {
  /// Prepares the file before it gets its name; returns 0 on success, like a system call.
  typealias Preparation = (_ descriptor: Int32) -> Int32

  /// Writes a file.
  ///
  /// Throws: the failed system call. The previous file is then unchanged.
  static func write(_ bytes: [UInt8], to path: String, preparing prepare: Preparation = { _ in 0 }) throws {
    try rename(stage(bytes, for: path, preparing: prepare), to: path)
  }

  /// Writes a complete file, flushed to the disk, under a temporary name, which it returns.
  static func stage(
    _ bytes: [UInt8],
    for path: String,
    preparing prepare: Preparation = { _ in 0 }
  ) throws -> String {
    let temporary = path + ".new"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw SystemError("open") }
    defer { close(descriptor) }
    try writeWhole(bytes, to: descriptor)
    try complete(descriptor, preparing: prepare)
    return temporary
  }

  /// Renames a complete temporary file to its final name.
  static func rename(_ temporary: String, to path: String) throws {
    guard Glibc.rename(temporary, path) == 0 else { throw SystemError("rename") }
    syncDirectory(of: path)
  }

  private static func complete(_ descriptor: Int32, preparing prepare: Preparation) throws {
    guard fsync(descriptor) == 0 else { throw SystemError("fsync") }
    guard prepare(descriptor) == 0 else { throw SystemError("fchmod") }
  }

  /// Flushes a complete temporary file and renames it to its final name.
  static func appear(
    _ descriptor: Int32,
    _ temporary: String,
    as path: String,
    preparing prepare: Preparation = { _ in 0 }
  ) throws {
    try complete(descriptor, preparing: prepare)
    try rename(temporary, to: path)
  }

  /// Overwrites a file of the same length in place; flushes it to the disk only if `isFlushed`.
  ///
  /// The content must fit into one sector. Returns false if there is no file of this length.
  static func overwrite(_ path: String, with bytes: [UInt8], isFlushed: Bool = false) throws -> Bool {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size == bytes.count else { return false }
    guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { throw SystemError("pwrite") }
    guard !isFlushed || fdatasync(descriptor) == 0 else { throw SystemError("fdatasync") }
    return true
  }

  /// Flushes the directory of a renamed file; if this fails, the rename may not survive a crash.
  static func syncDirectory(of path: String) {
    let directory = open(containingDirectory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return }
    fsync(directory)
    close(directory)
  }

  /// Returns the first `count` bytes of a file; nil if it does not exist.
  static func read(_ path: String, atMost count: Int) throws -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw SystemError("open") }
      return nil
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = Glibc.read(descriptor, &bytes, count)
    guard read >= 0 else { throw SystemError("read") }
    return Array(bytes[..<read])
  }
}
