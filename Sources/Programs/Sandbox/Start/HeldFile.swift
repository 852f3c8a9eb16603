import EventLoop
import Glibc

/// A file of this user alone that is written whole or not at all, and locked for as long as this lives.
@EventLoop
final class HeldFile {
  private let descriptor: Int32

  /// Writes it in the place of what was there.
  init(_ path: String, _ text: String) throws(SystemError) {
    var template = Array("\(path).XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw SystemError("mkstemp") }
    let written = Self.write(text, to: descriptor) && rename(template, path) == 0
    guard written else {
      let error = SystemError("write")
      unlink(template)
      close(descriptor)
      throw error
    }
  }

  deinit { close(descriptor) }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { return false }
      rest = rest.dropFirst(max(0, count))
    }
    return true
  }
}
