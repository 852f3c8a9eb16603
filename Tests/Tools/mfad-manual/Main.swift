internal import Manual
internal import Processes

/// The entry point of the program.
@main
enum Main {
  nonisolated static func main() { ProcessArguments.run("mfad-manual", ManualProgram.main) }
}
