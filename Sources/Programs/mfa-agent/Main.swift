internal import Agent
internal import Processes

/// The entry of the program.
@main
enum Main {
  // Not isolated to the main actor: the event loop makes this thread its own.
  nonisolated static func main() { ProcessArguments.run("mfa-agent", AgentProgram.main) }
}
