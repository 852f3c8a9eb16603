internal import Daemon
internal import Processes

/// The daemon; everything that it does is in the module of that name.
@main
enum Main {
  // Not isolated to the main actor: the event loop makes this thread its own.
  nonisolated static func main() { OwnArguments.run("mfad", DaemonProgram.main) }
}
