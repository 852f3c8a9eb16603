/// A configuration file that cannot be used; the program that reads it exits with 78 (EX_CONFIG).
package struct ConfigurationError: Error, Sendable, CustomStringConvertible {
  /// The file, as it was named.
  package let file: String
  /// The line, counted from 1; 0 when it concerns the file as a whole.
  package let line: Int
  /// What is wrong and what is allowed, for a person.
  package let problem: String

  /// The place and the problem.
  package var description: String { line == 0 ? "\(file): \(problem)" : "\(file):\(line): \(problem)" }
}
