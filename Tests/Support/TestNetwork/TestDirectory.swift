package import Glibc
import Synchronization

/// The existing directories.
///
/// A test may end while an object still retains its directory.
private let remaining = Mutex<Set<String>>([])

private let removesAtExit: Bool =
  atexit {
    let paths = remaining.withLock { Array($0) }
    if !paths.isEmpty { _ = try? TestProgram.run(["rm", "-rf"] + paths) }
  } == 0

/// A directory that is removed with its owner, or at the end of the process.
package final class TestDirectory: Sendable {
  /// Its path.
  package let path: String

  /// Creates a directory that only this user can access, in memory if requested and available.
  package init(inMemory: Bool = false) throws {
    let parent = inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/mfad-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestProgram.Failure(what: "mkdtemp") }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard removesAtExit else { throw TestProgram.Failure(what: "atexit") }
    remaining.withLock { _ = $0.insert(path) }
    self.path = path
  }

  deinit {
    _ = try? TestProgram.run(["rm", "-rf", path])
    let path = path
    remaining.withLock { _ = $0.remove(path) }
  }

  /// Writes a file and returns its path.
  package func write(_ text: String, to name: String, mode: mode_t = 0o600) throws -> String {
    let file = "\(path)/\(name)"
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw TestProgram.Failure(what: "cannot write \(file)")
    }
    return file
  }

  /// Writes a script that can be executed immediately, and returns its path.
  ///
  /// A child process writes it. Otherwise programs that other tests start meanwhile could inherit the open
  /// file, and an executable that is open for writing cannot be started (ETXTBSY).
  package func script(_ text: String, named name: String) throws -> String {
    let file = "\(path)/\(name)"
    _ = try TestProgram.run(["sh", "-c", "printf %s \"$1\" >\"$2\" && chmod 700 \"$2\"", "sh", text, file])
    return file
  }
}
