internal import Glibc
internal import SystemCalls

/// A file that appears whole under its name, in place of one that was there, and is on the disk when it does.
enum StableFile {
  /// What is done to the file before it has its name; 0 when it went well, as of system calls.
  typealias Preparation = (_ descriptor: Int32) -> Int32

  /// Throws: the call that failed; then what was there before is there still.
  static func write(_ bytes: [UInt8], to path: String, preparing prepare: Preparation = { _ in 0 }) throws {
    let temporary = path + ".new"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw SystemError("open") }
    defer { close(descriptor) }
    try writeWhole(bytes, to: descriptor)
    try appear(descriptor, temporary, as: path, preparing: prepare)
  }

  /// Gives a file that is written to its end the name that it is found by.
  static func appear(
    _ descriptor: Int32,
    _ temporary: String,
    as path: String,
    preparing prepare: Preparation = { _ in 0 }
  ) throws {
    guard fsync(descriptor) == 0 else { throw SystemError("fsync") }
    guard prepare(descriptor) == 0 else { throw SystemError("fchmod") }
    guard rename(temporary, path) == 0 else { throw SystemError("rename") }
    syncDirectory(of: path)
  }

  /// Writes over a file of this length in its place, within one sector; it comes to the disk whenever it does, unless it
  /// is flushed.
  ///
  /// Returns whether there was such a file.
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

  /// Brings a new name onto the disk; where that cannot be, the file is whole under its old one.
  static func syncDirectory(of path: String) {
    let directory = open(containingDirectory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { return }
    fsync(directory)
    close(directory)
  }

  /// What a file holds, if it is there and not longer than expected.
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
