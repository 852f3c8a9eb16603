internal import Glibc

extension ProgramUsage {
  /// Prints a text on standard output, past the library's buffers, so that whoever reads a pipe has it at once; the exit
  /// code says whether all of it was written.
  package func say(_ text: String) -> Int32 {
    Self.write(text, to: STDOUT_FILENO) ? EXIT_SUCCESS : EXIT_FAILURE
  }

  /// Says on standard error why the program cannot go on.
  package func complain(_ problem: String) {
    _ = Self.write("\(program): error: \(problem)\n", to: STDERR_FILENO)
  }

  /// Says what is wrong with the command line.
  package func complain(_ error: UsageError) {
    complain("\(error)\n\(program): hint: see \"\(program) --help\"")
  }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { return false }
      rest = rest.dropFirst(max(0, count))
    }
    return true
  }
}
