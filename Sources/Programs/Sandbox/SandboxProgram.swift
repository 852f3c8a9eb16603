import EventLoop
import Glibc
import JSON
import Journal
import Usage

/// The program `pingone-sandbox`: start, announcement and end.
public enum SandboxProgram {
  private static let usage = SandboxOptions.usage

  /// Runs a command line, which begins with the program's name; returns the exit code.
  public nonisolated static func run(_ arguments: [String]) -> Int32 {
    SandboxOptions.run(arguments, serve)
  }

  private nonisolated static func serve(_ options: SandboxOptions) -> Int32 {
    // Make new files private: the data file contains keys and passwords, although only of a sandbox.
    umask(0o077)
    return ProgramLoop.run {
      do {
        try begin(options)
        return nil
      } catch {
        usage.complain("\(error)")
        return 1
      }
    }
  }

  @EventLoop
  private static func begin(_ options: SandboxOptions) throws {
    let sandbox = try SandboxServer(
      port: options.port,
      data: options.data,
      isFresh: options.isFresh,
      flows: options.flows,
      selfService: options.hasSelfService,
      users: options.users,
      configuration: options.configuration
    )
    let announcement = sandbox.announcement
    let told = RunningSandboxes.tell(announcement, port: sandbox.port)
    if told == nil { Journal.warning("no command will find this sandbox") }
    // The event loop keeps watching the signals after this object is released.
    _ = try Signals([SIGTERM, SIGINT]) { _ in
      if told != nil { RunningSandboxes.forget(port: sandbox.port) }
      sandbox.stop()
      ProgramLoop.end(0)
    }
    let isForUser = isatty(STDOUT_FILENO) == 1
    _ = usage.say(isForUser ? Welcome.text(announcement) : announcement.text + "\n")
  }
}
