internal import EventLoop
internal import Glibc
internal import Journal
internal import Processes
internal import SystemCalls
internal import UnixSockets

/// Where the courier is found: behind a socket that somebody else serves, or as a child of this process.
public enum CourierEndpoint: Sendable {
  /// A socket in the file system; its other end may come and go.
  case socket(path: String)
  /// A program that is started with one end of a socket pair and ends with this process.
  case child(CourierCommand)

  /// The socket if there is one at the path, else a child from beside this program.
  public static func preferring(socket path: String, otherwise command: CourierCommand) -> CourierEndpoint {
    var status = stat()
    // A socket that is there for another user's daemon is none for this one.
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK, access(path, R_OK | W_OK) == 0 else {
      return .child(command)
    }
    return .socket(path: path)
  }
}

/// How the courier is started as a child.
public struct CourierCommand: Sendable {
  /// The path of the program.
  public var executable: String
  /// Its arguments besides `--child`.
  public var arguments: [String]

  /// A command from its parts.
  public init(executable: String, arguments: [String] = []) {
    self.executable = executable
    self.arguments = arguments
  }

  /// The courier that lies beside this program, reading the same configuration.
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

/// A courier that was started as a child and has to be ended and buried.
@EventLoop
final class CourierProcess {
  let process: pid_t
  private var isEnded = false

  /// The descriptor under which the child finds its socket, after the standard streams.
  private static let socketNumber: Int32 = 3

  /// What the child sees of the environment: nothing that could steer its network or its libraries.
  private static let environment = ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "SWIFT_BACKTRACE=enable=no"]

  /// Starts the program with the socket and the standard streams and nothing else.
  init(_ command: CourierCommand, socket: Descriptor) throws(SystemError) {
    let null = try ChildProcess.nullDevice()
    process = try ChildProcess.start(
      command.executable,
      ["--child", "\(Self.socketNumber)"] + command.arguments,
      environment: Self.environment,
      descriptors: [null, null, Descriptor(owning: dup(STDERR_FILENO)), socket],
      // A reload waits until the child is ready to take it, instead of ending one that has just begun.
      blocking: [SIGHUP]
    )
  }

  /// Makes the child read its configuration again.
  func reload() {
    if !isEnded { kill(process, SIGHUP) }
  }

  /// Ends the child, which holds nothing that could be lost, and buries it.
  func end() {
    guard !isEnded else { return }
    isEnded = true
    bury(retryingAfter: .milliseconds(1))
  }

  private func bury(retryingAfter delay: Duration) {
    var status: Int32 = 0
    // Asked before the kill, so that the journal tells how a child ended that ended by itself.
    guard waitpid(process, &status, WNOHANG) == 0 else {
      return Journal.debug("courier ended", ["process": process, "status": status])
    }
    kill(process, SIGKILL)
    EventLoop.after(delay) { self.bury(retryingAfter: min(delay * 2, .seconds(1))) }
  }
}
