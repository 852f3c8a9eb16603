import EventLoop
import Glibc
import JSON
import Synchronization

/// The program `pingone-sandbox`: its arguments, its one line of output, its end.
package enum SandboxProgram {
  private static let usage = """
    usage: pingone-sandbox [--port N] [--data FILE] [--flows DIR] [--self-service]

    A PingOne platform with one environment on 127.0.0.1, for demonstrations and tests. When it serves it prints one
    line of JSON that says where and for whom.

      --port N     listen on this port; 0, the default, takes any free one
      --data FILE  keep the state in this SQLite database; without it nothing is kept
      --flows DIR  the directory with flows to play
      --self-service
                   begin with what PingOne has off: authenticator apps in the policy, and the right of the application
                   to manage its users' own devices
      --help       print this text

    """

  package nonisolated static func run(_ arguments: [String]) -> Int32 {
    let options: SandboxOptions
    do { options = try SandboxOptions(arguments) } catch {
      write("pingone-sandbox: error: \(error.message)\n", to: STDERR_FILENO)
      write("pingone-sandbox: hint: try --help\n", to: STDERR_FILENO)
      return 2
    }
    if options.wantsHelp {
      write(usage, to: STDOUT_FILENO)
      return 0
    }
    signal(SIGPIPE, SIG_IGN)
    // The data file holds keys and passwords, if only those of a sandbox.
    umask(0o077)
    EventLoop.task {
      do { try serve(options) } catch {
        write("pingone-sandbox: error: \(error)\n", to: STDERR_FILENO)
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
    write(sandbox.announcement.text + "\n", to: STDOUT_FILENO)
  }

  private static let exitStatus = Atomic<Int32>(0)

  /// Writes past the library's buffers, so that whoever reads a pipe has the text at once.
  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { return }
      rest = rest.dropFirst(max(0, count))
    }
  }
}
