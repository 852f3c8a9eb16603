import Glibc
internal import SystemCalls

/// Where the courier is found: behind a socket that somebody else serves, or as a child of this process.
package enum CourierEndpoint: Sendable {
  /// A socket in the file system; its other end may come and go.
  case socket(path: String)
  /// A program that is started with one end of a socket pair and ends with this process.
  case child(CourierCommand)

  /// The socket if there is one at the path, else a child from beside this program.
  package static func preferring(socket path: String, otherwise command: CourierCommand) -> CourierEndpoint {
    var status = stat()
    // A socket that is there for another user's daemon is none for this one.
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK, access(path, R_OK | W_OK) == 0 else {
      return .child(command)
    }
    return .socket(path: path)
  }
}

/// How the courier is started as a child.
package struct CourierCommand: Sendable {
  /// The path of the program.
  package var executable: String
  /// Its arguments besides `--child`.
  package var arguments: [String]

  /// A command from its parts.
  package init(executable: String, arguments: [String] = []) {
    self.executable = executable
    self.arguments = arguments
  }

  /// The courier that lies beside this program, reading the same configuration.
  package static func besideThisProgram(configurationFile: String?, platform: String?) -> CourierCommand {
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
