internal import Benchmark
import Glibc

/// The entry of the program.
@main
enum Main {
  nonisolated static func main() { exit(BenchmarkProgram.main(CommandLine.arguments)) }
}
