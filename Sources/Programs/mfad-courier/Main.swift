internal import Courier
import Glibc

/// The entry of the program.
@main
enum Main {
  // Not isolated to the main actor: the event loop makes this thread its own.
  nonisolated static func main() { exit(CourierProgram.main(CommandLine.arguments)) }
}
