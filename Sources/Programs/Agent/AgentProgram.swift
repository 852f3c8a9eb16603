internal import CLinux
internal import EventLoop
import Glibc
internal import Usage

/// The program `mfa-agent`, apart from its entry.
package enum AgentProgram {
  enum ExitCode: Int32 {
    case done = 0
    case failed = 1
    case wrongUsage = 2
    /// What sysexits.h calls unavailable: there is no desktop to show anything on.
    case noBus = 69
  }

  private static let usage = AgentOptions.usage

  /// Runs the program until a signal or the session ends it and returns its exit code.
  package static func main(_ arguments: [String]) -> Int32 {
    let options: AgentOptions
    do throws(UsageError) {
      options = try AgentOptions(parsing: arguments.dropFirst())
    } catch {
      usage.complain(error)
      return ExitCode.wrongUsage.rawValue
    }
    if options.wantsHelp { return usage.say(usage.help) }
    if options.wantsVersion { return usage.say("mfa-agent \(Version.text)\n") }
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
}
