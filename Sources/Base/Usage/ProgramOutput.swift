internal import Glibc
internal import SystemCalls

extension ProgramUsage {
  /// Prints a text on standard output, past the library's buffers, so that whoever reads a pipe has it at once; the exit
  /// code says whether all of it was written.
  package func say(_ text: String) -> Int32 {
    do {
      try writeWhole(Array(text.utf8), to: STDOUT_FILENO)
      return EXIT_SUCCESS
    } catch { return EXIT_FAILURE }
  }

  /// Says on standard error why the program cannot go on.
  package func complain(_ problem: String) {
    // To whoever cannot be told the exit code says it.
    try? writeWhole(Array("\(program): error: \(problem)\n".utf8), to: STDERR_FILENO)
  }

  /// Says what is wrong with the command line.
  package func complain(_ error: UsageError) {
    complain("\(error)\n\(program): hint: see \"\(program) --help\"")
  }
}
