internal import CLinux
internal import EventLoop
import Glibc

/// The program `mfa-agent`, apart from its entry.
package enum AgentProgram {
  enum ExitCode: Int32 {
    case done = 0
    case failed = 1
    case wrongUsage = 2
    /// What sysexits.h calls unavailable: there is no desktop to show anything on.
    case noBus = 69
  }

  /// Runs the program until a signal or the session ends it and returns its exit code.
  package static func main(_ arguments: [String]) -> Int32 {
    let options: AgentOptions
    do throws(AgentUsageError) {
      options = try AgentOptions(parsing: arguments.dropFirst())
    } catch {
      complain("\(error)\nmfa-agent: hint: see \"mfa-agent --help\"")
      return ExitCode.wrongUsage.rawValue
    }
    if options.wantsHelp { return say(AgentOptions.usage) }
    if options.wantsVersion { return say("mfa-agent \(AgentOptions.version)\n") }
    // What requests say is personal: no core file and no debugger of the same user may show it.
    _ = clinux_forbid_dumps()
    _ = clinux_forbid_new_privileges()
    umask(0o077)
    return run(AgentService(options))
  }

  private static func run(_ service: AgentService) -> Int32 {
    EventLoop.task { service.start() }
    EventLoop.run()
    return service.exitCode
  }

  private static func say(_ text: String) -> Int32 {
    let bytes = Array(text.utf8)
    let isWritten = write(STDOUT_FILENO, bytes, bytes.count) == bytes.count
    return (isWritten ? ExitCode.done : .failed).rawValue
  }

  private static func complain(_ text: String) {
    let bytes = Array("mfa-agent: error: \(text)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
