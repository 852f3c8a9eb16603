import Glibc
import TestNetwork
import Testing

@testable import Machine

/// A machine that a test makes out of files.
struct FakeHost {
  let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  /// The machine, seen by the user of the test.
  var host: Host { host(of: geteuid()) }

  /// The machine, seen by another user.
  func host(of user: uid_t) -> Host { Host(root: directory.path, user: user) }

  /// Makes a directory and those above it.
  func directory(_ path: String, mode: mode_t = 0o755) throws {
    var current = directory.path
    for name in path.split(separator: "/") {
      current += "/\(name)"
      #expect(mkdir(current, 0o755) == 0 || errno == EEXIST)
    }
    try setMode(path, mode)
  }

  /// Writes a file into a directory that is made if need be.
  func file(_ path: String, _ text: String, mode: mode_t = 0o644) throws {
    try directory(parent(of: path))
    _ = try directory.write(text, to: path)
    try setMode(path, mode)
  }

  /// Makes a link into a directory that is made if need be.
  func link(_ path: String, to target: String) throws {
    try directory(parent(of: path))
    try #require(symlink(target, directory.path + path) == 0)
  }

  /// Makes a pipe that nobody writes to.
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
