import EventLoop
import Glibc
import SystemCalls

/// A file of this user alone that is written whole or not at all, and locked for as long as this lives.
@EventLoop
final class HeldFile {
  private let descriptor: Int32

  /// Writes it in the place of what was there.
  init(_ path: String, _ text: String) throws(SystemError) {
    var template = Array("\(path).XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw SystemError("mkstemp") }
    do throws(SystemError) {
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw SystemError("flock") }
      try writeWhole(Array(text.utf8), to: descriptor)
      guard rename(template, path) == 0 else { throw SystemError("rename") }
    } catch {
      // This object is whole already, so that its end closes the file.
      unlink(template)
      throw error
    }
  }

  deinit { close(descriptor) }
}
