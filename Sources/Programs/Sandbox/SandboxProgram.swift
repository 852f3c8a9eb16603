import EventLoop
import Glibc
import JSON
import Synchronization
import Usage

/// The program `pingone-sandbox`: its arguments, its one line of output, its end.
package enum SandboxProgram {
  private static let usage = SandboxOptions.usage

  package nonisolated static func run(_ arguments: [String]) -> Int32 {
    let options: SandboxOptions
    do { options = try SandboxOptions(arguments) } catch {
      usage.complain(error)
      return 2
    }
    if options.wantsHelp { return usage.say(usage.help) }
    signal(SIGPIPE, SIG_IGN)
    // The data file holds keys and passwords, if only those of a sandbox.
    umask(0o077)
    EventLoop.task {
      do { try serve(options) } catch {
        usage.complain("\(error)")
        exitStatus.store(1, ordering: .relaxed)
        EventLoop.stop()
      }
    }
    EventLoop.run()
    return exitStatus.load(ordering: .relaxed)
  }

  @EventLoop
  private static func serve(_ options: SandboxOptions) throws {
    let sandbox = try SandboxServer(
      port: options.port,
      data: options.data,
      flows: options.flows,
      selfService: options.hasSelfService
    )
    // The loop keeps watching the signals after this object is gone.
    _ = try Signals([SIGTERM, SIGINT]) { _ in
      sandbox.stop()
      EventLoop.stop()
    }
    _ = usage.say(sandbox.announcement.text + "\n")
  }

  private static let exitStatus = Atomic<Int32>(0)
}
