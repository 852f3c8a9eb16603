package import CLinux
import Glibc
import UnixSockets

/// A program that a test has started.
///
/// Its standard input and output are one socket, and it is killed with its owner.
package final class TestProgram: Sendable {
  /// The reason that a program could not be used.
  package struct Failure: Error {
    /// The event.
    package let what: String

    /// Creates a failure with a description.
    package init(what: String) { self.what = what }
  }

  /// The Python of the distribution, which starts faster than a wrapper in the path.
  package static let python = access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3"

  /// Its process id.
  package let process: pid_t
  private let channel: Descriptor

  /// Starts a program by its path or name, with no descriptors but the standard streams.
  package init(_ arguments: [String], environment: [String: String] = [:]) throws {
    let (ours, theirs) = try UnixSocket.pair()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, theirs.number, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, theirs.number, STDOUT_FILENO)
    // Some descriptors of the test runner are not closed on exec.
    clinux_spawn_closing_from(&actions, STDERR_FILENO + 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    var values = ["PATH": getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin", "HOME": "/tmp"]
    values.merge(environment) { $1 }
    let argumentPointers = arguments.map { strdup($0) } + [nil]
    let environmentPointers = values.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in argumentPointers + environmentPointers { free(pointer) } }
    var process: pid_t = 0
    let code = posix_spawnp(
      &process,
      arguments[0],
      &actions,
      &attributes,
      argumentPointers,
      environmentPointers
    )
    guard code == 0 else { throw Failure(what: "\(arguments[0]): \(String(cString: strerror(code)))") }
    self.process = process
    channel = ours
  }

  deinit {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }

  /// Runs a program to its end and returns its output.
  ///
  /// Throws if it fails.
  package static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
    let program = try TestProgram(arguments, environment: environment)
    let output = try program.readToEnd()
    let status = program.waitForEnd()
    guard status == 0 else { throw Failure(what: "\(arguments) ended with \(status): \(output)") }
    return output
  }

  /// Writes to its standard input.
  package func write(_ text: String) throws {
    let bytes = Array(text.utf8)
    _ = try bytes.withUnsafeBytes { try channel.send($0) }
  }

  /// Waits for the next line of its output.
  package func readLine() throws -> String {
    var bytes: [UInt8] = []
    while true {
      var byte: UInt8 = 0
      let count = try withUnsafeMutableBytes(of: &byte) { try channel.read(into: $0) }
      guard count == 1 else { throw Failure(what: "output ended after \"\(bytes.text)\"") }
      if byte == UInt8(ascii: "\n") { return bytes.text }
      bytes.append(byte)
    }
  }

  /// Waits until no process holds its output any more, and returns the rest of it.
  package func readToEnd() throws -> String {
    shutdown(channel.number, Int32(SHUT_WR))
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while let count = try buffer.withUnsafeMutableBytes({ try channel.read(into: $0) }), count > 0 {
      bytes += buffer[..<count]
    }
    return bytes.text
  }

  /// Waits for its end and returns the exit code, or the negative number of the signal that killed it.
  package func waitForEnd() -> Int32 {
    // The process stays a zombie until this object is released, so that its ID is not reused.
    var information = siginfo_t()
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    let status = information._sifields._sigchld.si_status
    return information.si_code == Int32(CLD_EXITED) ? status : -status
  }
}

extension [UInt8] {
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
