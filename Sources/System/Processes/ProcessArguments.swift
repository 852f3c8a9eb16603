internal import Glibc
internal import SystemCalls

/// Reads this process's arguments from the kernel, proc_pid_cmdline(5).
///
/// Swift searches for the arguments next to the environment in memory. If a preloaded library sets a
/// variable, the environment moves and Swift finds no arguments. The program would then run with its defaults
/// instead of the given options.
public enum ProcessArguments {
  /// Maximum size in bytes: the limit of Linux for arguments with the default stack limit, execve(2).
  private static let limit = 2 * 1024 * 1024

  /// Runs a program with its arguments, including its name, and exits with the returned status.
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
    // Each argument, even an empty one, ends with a zero byte.
    guard bytes.last == 0 else { throw SystemError("read", code: ENODATA) }
    return bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
