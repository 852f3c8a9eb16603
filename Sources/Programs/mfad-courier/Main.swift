internal import Courier
internal import Processes

/// The entry point of the courier; see the module `Courier`.
@main
enum Main {
  // Not isolated to the main actor: the event loop makes this thread its own.
  nonisolated static func main() { ProcessArguments.run("mfad-courier", CourierProgram.main) }
}
