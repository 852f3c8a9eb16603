internal import Daemon
internal import Processes

/// The entry point of the daemon; see the module `Daemon`.
@main
enum Main {
  // Not isolated to the main actor: the event loop makes this thread its own.
  nonisolated static func main() { ProcessArguments.run("mfad", DaemonProgram.main) }
}
