import Glibc
import TestNetwork
import Testing

@testable import Machine

/// A fake machine: a directory tree that serves as root.
struct FakeHost {
  let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  /// The machine as seen by the user that runs the test.
  var host: Host { host(of: geteuid()) }

  /// The machine as seen by another user.
  func host(of user: uid_t) -> Host { Host(root: directory.path, user: user) }

  /// Makes a directory with its parents.
  func directory(_ path: String, mode: mode_t = 0o755) throws {
    var current = directory.path
    for name in path.split(separator: "/") {
      current += "/\(name)"
      #expect(mkdir(current, 0o755) == 0 || errno == EEXIST)
    }
    try setMode(path, mode)
  }

  /// Writes a file, with its directory if needed.
  func file(_ path: String, _ text: String, mode: mode_t = 0o644) throws {
    try directory(parent(of: path))
    _ = try directory.write(text, to: path)
    try setMode(path, mode)
  }

  /// Makes a symbolic link, with its directory if needed.
  func link(_ path: String, to target: String) throws {
    try directory(parent(of: path))
    try #require(symlink(target, directory.path + path) == 0)
  }

  /// Makes a named pipe without a writer.
  func pipe(_ path: String, mode: mode_t = 0o644) throws {
    try #require(mkfifo(directory.path + path, mode) == 0)
    try setMode(path, mode)
  }

  func setMode(_ path: String, _ mode: mode_t) throws {
    try #require(chmod(directory.path + path, mode) == 0)
  }

  private func parent(of path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }
}
