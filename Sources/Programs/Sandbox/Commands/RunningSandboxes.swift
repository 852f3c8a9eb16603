import EventLoop
import FoundationEssentials
import Glibc
import JSON
import SystemCalls

/// The sandboxes of this user that run: each has a file with its announcement, which it keeps locked.
@EventLoop
enum RunningSandboxes {
  /// Where the files are: below `$XDG_RUNTIME_DIR`, or else in a directory of this user's in /tmp.
  private static var directory: String {
    let runtime = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? ""
    let isThere = runtime.hasPrefix("/") && access(runtime, W_OK) == 0
    return isThere ? "\(runtime)/pingone-sandbox" : "/tmp/pingone-sandbox-\(geteuid())"
  }

  /// Tells of one for as long as what is returned is kept; `nil` where no directory is this user's alone.
  static func tell(_ announcement: JSON, port: UInt16) -> HeldFile? {
    mkdir(directory, 0o700)
    guard isPrivate(directory) else { return nil }
    return try? HeldFile(path(port), announcement.text + "\n")
  }

  static func forget(port: UInt16) { unlink(path(port)) }

  /// What they announced, by their ports.
  static func announcements() -> [(port: UInt16, announcement: JSON)] {
    guard isPrivate(directory) else { return [] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    let ports = names.filter { $0.hasSuffix(suffix) }.compactMap { UInt16($0.dropLast(suffix.count)) }
    return ports.sorted().compactMap { port in announcement(path(port)).map { (port, $0) } }
  }

  private static let suffix = ".json"

  private static func path(_ port: UInt16) -> String { "\(directory)/\(port)\(suffix)" }

  /// What stands in a file that somebody keeps locked: one that is not was left by a sandbox that was killed.
  private static func announcement(_ path: String) -> JSON? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
    return try? JSON(parsing: readWhole(descriptor, atMost: 16 * 1024 * 1024))
  }

  private static func isPrivate(_ path: String) -> Bool {
    var information = stat()
    return lstat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
      && information.st_uid == geteuid() && information.st_mode & 0o077 == 0
  }
}
