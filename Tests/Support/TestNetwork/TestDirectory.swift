package import Glibc
import Synchronization

/// The directories that are still there: a test may end with something that holds on to its own.
private let remaining = Mutex<Set<String>>([])

private let removesAtExit: Bool =
  atexit {
    let paths = remaining.withLock { Array($0) }
    if !paths.isEmpty { _ = try? TestProgram.run(["rm", "-rf"] + paths) }
  } == 0

/// A directory that goes with its owner, or with the process.
package final class TestDirectory: Sendable {
  /// Its path.
  package let path: String

  /// Makes a directory that only this user can enter, in memory where that is wanted and can be had.
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

  /// Writes a script that can be started at once, and returns where.
  ///
  /// Another process writes it: what is started meanwhile by other tests would hold it open for a moment as this one
  /// does, and a program that somebody has open to write cannot be started (ETXTBSY).
  package func script(_ text: String, named name: String) throws -> String {
    let file = "\(path)/\(name)"
    _ = try TestProgram.run(["sh", "-c", "printf %s \"$1\" >\"$2\" && chmod 700 \"$2\"", "sh", text, file])
    return file
  }
}
