public import Configuration
internal import JSON
public import JSONRPC

/// What keeps the configuration from being used, where it stands in the file.
public struct Misconfiguration: ControlObject {
  public let file: String
  public let line: Int?
  public let key: String?
  /// What is wrong, and what is allowed.
  public let problem: String

  public static let shape = Shape(
    Misconfiguration.init(file:line:key:problem:),
    .required("file", \.file, "the file, or the flag, that it stands in"),
    .optional("line", \.line, "the line, counted from 1"),
    .optional("key", \.key, "the key, as it is written there"),
    .required("problem", \.problem, "what is wrong, and what is allowed")
  )

  private init(file: String, line: Int?, key: String?, problem: String) {
    (self.file, self.line, self.key, self.problem) = (file, line, key, problem)
  }

  public init(_ error: ConfigurationError) {
    self.init(
      file: error.file,
      line: error.line > 0 ? error.line : nil,
      key: error.key,
      problem: error.problem
    )
  }

  /// Its place and the problem.
  public var words: String {
    ConfigurationError(file: file, line: line ?? 0, key: key, problem: problem).description
  }
}

extension RPCError {
  /// Nothing is done by a configuration that cannot be used.
  public static func misconfigured(_ found: Misconfiguration) -> RPCError {
    misconfigured.saying("\(misconfigured.message): \(found.words)").with(found.json.object ?? [:])
  }
}
