public import Configuration
internal import JSON
public import JSONRPC

/// The error that makes the configuration unusable, with its place in the file.
public struct Misconfiguration: ControlObject {
  public let file: String
  public let line: Int?
  public let key: String?
  /// The error, with the allowed values.
  public let problem: String

  public static let shape = Shape(
    Misconfiguration.init(file:line:key:problem:),
    .required("file", \.file, "the file or flag that has the error"),
    .optional("line", \.line, "the line, counted from 1"),
    .optional("key", \.key, "the key, as it is written"),
    .required("problem", \.problem, "the error, with the allowed values")
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

  /// The place and the problem as a sentence.
  public var words: String {
    ConfigurationError(file: file, line: line ?? 0, key: key, problem: problem).description
  }
}

extension RPCError {
  /// Returns the error of every call that an unusable configuration prevents.
  public static func misconfigured(_ found: Misconfiguration) -> RPCError {
    misconfigured.withMessage("\(misconfigured.message): \(found.words)").with(found.json.object ?? [:])
  }
}
