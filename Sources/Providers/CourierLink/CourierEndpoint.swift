internal import EventLoop
internal import Glibc
internal import Journal
internal import Processes
internal import SystemCalls
internal import UnixSockets

/// The way to reach the courier: a socket that another process serves, or a child process.
public enum CourierEndpoint: Sendable {
  /// A socket in the file system. The process that serves it may stop and start.
  case socket(path: String)
  /// A program that gets one end of a socket pair and ends with this process.
  case child(CourierCommand)

  /// Returns the first socket that exists and is accessible, otherwise a child.
  public static func preferring(
    sockets paths: [String?],
    otherwise command: CourierCommand
  ) -> CourierEndpoint {
    for case let path? in paths {
      var status = stat()
      // Ignore a socket without access; it may belong to the daemon of another user.
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK, access(path, R_OK | W_OK) == 0
      else { continue }
      return .socket(path: path)
    }
    return .child(command)
  }
}

/// The command that starts the courier as a child.
public struct CourierCommand: Sendable {
  /// The path of the program.
  public var executable: String
  /// The arguments in addition to `--child`.
  public var arguments: [String]

  public init(executable: String, arguments: [String] = []) {
    self.executable = executable
    self.arguments = arguments
  }

  /// Returns the command for the courier in the directory of this program, with the same configuration.
  public static func besideThisProgram(configurationFile: String?, platform: String?) -> CourierCommand {
    var arguments: [String] = []
    if let configurationFile { arguments += ["--config", configurationFile] }
    if let platform { arguments += ["--platform", platform] }
    return CourierCommand(executable: directoryOfThisProgram + "/mfad-courier", arguments: arguments)
  }

  private static var directoryOfThisProgram: String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(decoding: buffer.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return containingDirectory(of: path)
  }
}

/// A courier that runs as a child process; its exit status must be collected.
@EventLoop
final class CourierProcess {
  let process: pid_t
  private var isEnded = false

  /// Descriptor number of the socket in the child; it follows the standard streams.
  private static let socketNumber: Int32 = 3

  /// The child's environment, without variables that affect network access or library loading.
  private static let environment = ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "SWIFT_BACKTRACE=enable=no"]

  /// Starts the program with the socket and the standard streams only.
  init(_ command: CourierCommand, socket: Descriptor) throws(SystemError) {
    let null = try ChildProcess.nullDevice()
    process = try ChildProcess.start(
      command.executable,
      ["--child", "\(Self.socketNumber)"] + command.arguments,
      environment: Self.environment,
      descriptors: [null, null, Descriptor(owning: dup(STDERR_FILENO)), socket],
      // Block SIGHUP until the child can handle it, because an early SIGHUP would kill the child.
      blocking: [SIGHUP]
    )
  }

  /// Makes the child reload its configuration.
  func reload() {
    if !isEnded { kill(process, SIGHUP) }
  }

  /// Ends the child, which has no state that could be lost, and collects its exit status.
  func end() {
    guard !isEnded else { return }
    isEnded = true
    bury(retryingAfter: .milliseconds(1))
  }

  private func bury(retryingAfter delay: Duration) {
    var status: Int32 = 0
    // Check before the kill, so that the journal records the status of a child that ended on its own.
    guard waitpid(process, &status, WNOHANG) == 0 else {
      return Journal.debug("courier ended", ["process": process, "status": status])
    }
    kill(process, SIGKILL)
    EventLoop.after(delay) { self.bury(retryingAfter: min(delay * 2, .seconds(1))) }
  }
}
