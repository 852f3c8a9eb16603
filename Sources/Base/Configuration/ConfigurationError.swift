/// A configuration file that cannot be used; the program that reads it exits with 78 (EX_CONFIG).
package struct ConfigurationError: Error, Sendable, CustomStringConvertible {
  /// The file, as it was named.
  package let file: String
  /// The line, counted from 1; 0 when it concerns the file as a whole.
  package let line: Int
  /// The key, as it is written there, if it concerns one.
  package let key: String?
  /// What is wrong and what is allowed, for a person.
  package let problem: String

  package init(file: String, line: Int, key: String? = nil, problem: String) {
    (self.file, self.line, self.key, self.problem) = (file, line, key, problem)
  }

  /// The place and the problem.
  package var description: String { line == 0 ? "\(file): \(problem)" : "\(file):\(line): \(problem)" }
}
