import EventLoop
import Glibc
import JSON
import SystemCalls

/// Writes an `mfad.conf` with which a daemon uses a sandbox.
@EventLoop
enum DaemonConfiguration {
  struct WriteFailure: Error, CustomStringConvertible { let description: String }

  private static let mark = "# Written by pingone-sandbox, anew at each start."

  static func write(_ announcement: JSON, to path: String) throws {
    do {
      guard try mayReplace(path) else {
        throw WriteFailure(
          description: "\(path) exists and was not written by pingone-sandbox; choose another file"
        )
      }
      _ = try LockedFile(path, text(announcement))
    } catch let error as SystemError {
      throw WriteFailure(description: "\(path) cannot be written: \(error)")
    }
  }

  private static func text(_ announcement: JSON) -> String {
    let settings = [
      ("platform", announcement["url"]), ("platform_key", announcement["platformKey"]),
      ("issuer", announcement["issuer"]), ("client_id", announcement["clientId"]),
    ].map { "\($0.0) = \($0.1?.string ?? "")\n" }
    return """
      \(mark)
      allow_loopback_http = yes
      \(settings.joined())redirect_uri = http://127.0.0.1/callback
      geo = NorthAmerica

      """
  }

  /// Returns true if the file does not exist or a sandbox wrote it.
  private static func mayReplace(_ path: String) throws(SystemError) -> Bool {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return true }
      // A symbolic link may lead to another user's file.
      if errno == ELOOP { return false }
      throw SystemError("open")
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: mark.utf8.count)
    return read(descriptor, &bytes, bytes.count) == bytes.count && bytes.elementsEqual(mark.utf8)
  }
}

/// A file that only this user can access; it is written atomically, and locked while this object exists.
@EventLoop
final class LockedFile {
  private let descriptor: Int32

  /// Writes the file and replaces an existing one.
  init(_ path: String, _ text: String) throws(SystemError) {
    var template = Array("\(path).XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw SystemError("mkstemp") }
    do throws(SystemError) {
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw SystemError("flock") }
      try writeWhole(Array(text.utf8), to: descriptor)
      guard rename(template, path) == 0 else { throw SystemError("rename") }
    } catch {
      // All properties are initialized, so `deinit` closes the file.
      unlink(template)
      throw error
    }
  }

  deinit { close(descriptor) }
}
