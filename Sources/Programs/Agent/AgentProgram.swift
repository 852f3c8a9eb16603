internal import CLinux
internal import EventLoop
import Glibc
internal import Usage

/// The program `mfa-agent` without its entry point.
public enum AgentProgram {
  enum ExitCode: Int32 {
    case done = 0
    case failed = 1
    /// There is no session bus, so notifications cannot be shown; EX_UNAVAILABLE of sysexits.h.
    case noBus = 69
  }

  /// Runs the program until a signal or the end of the session, and returns its exit code.
  public static func main(_ arguments: [String]) -> Int32 {
    AgentOptions.run(arguments) { options in
      // Requests contain personal data: forbid core files, and debuggers of the same user.
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
