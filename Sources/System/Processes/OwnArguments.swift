internal import Glibc
internal import SystemCalls

/// The arguments that this process was started with, as the kernel keeps them, proc_pid_cmdline(5).
///
/// Swift looks for them beside the environment. A preloaded library that sets a variable moves that elsewhere; what is
/// then found is nothing, and a program without arguments does what it does by default, for somebody who asked for
/// something else.
public enum OwnArguments {
  /// The most bytes: what Linux starts a process with unless its stack may be larger than usual, execve(2).
  private static let limit = 2 * 1024 * 1024

  /// Runs a program with its arguments, its name first, and ends with the status that it returns.
  public static func run(_ name: String, _ program: ([String]) -> Int32) -> Never {
    let arguments: [String]
    do { arguments = try read() } catch {
      let bytes = Array("\(name): error: its arguments cannot be read: \(error)\n".utf8)
      _ = write(STDERR_FILENO, bytes, bytes.count)
      exit(EXIT_FAILURE)
    }
    exit(program(arguments))
  }

  private static func read() throws(SystemError) -> [String] {
    let descriptor = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("open") }
    defer { close(descriptor) }
    let bytes = try readWhole(descriptor, atMost: limit)
    // Each is ended by a zero byte, an empty one too.
    guard bytes.last == 0 else { throw SystemError("read", code: ENODATA) }
    return bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
