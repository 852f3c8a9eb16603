internal import CLinux
internal import EventLoop
import Glibc
internal import Usage

/// The program `mfa-agent`, apart from its entry.
public enum AgentProgram {
  enum ExitCode: Int32 {
    case done = 0
    case failed = 1
    /// What sysexits.h calls unavailable: there is no desktop to show anything on.
    case noBus = 69
  }

  /// Runs the program until a signal or the session ends it and returns its exit code.
  public static func main(_ arguments: [String]) -> Int32 {
    AgentOptions.run(arguments) { options in
      // What requests say is personal: no core file and no debugger of the same user may show it.
      _ = clinux_forbid_dumps()
      clinux_die_silently()
      _ = clinux_forbid_new_privileges()
      umask(0o077)
      return run(AgentService(options))
    }
  }

  private static func run(_ service: AgentService) -> Int32 {
    EventLoop.task { service.start() }
    EventLoop.run()
    return service.exitCode
  }
}
