package import JSON

/// An error, said whole: what a reply tells of it, and what every program knows of it by its code and reason.
package struct RPCError: Error, Sendable {
  /// The code, by JSON-RPC 2.0 section 5.1 or the control interface.
  package let code: Int
  /// The stable name, in upper case.
  package let reason: String
  /// One lower-case sentence for a person that names what is wrong; never input, secrets, paths or SQL.
  package private(set) var message: String
  /// Whether the same call may work later.
  package let retry: Bool
  /// The stable name of the cause, where an error has several.
  package private(set) var cause: String?
  /// What a program may want to know beyond the names.
  package private(set) var details: JSONObject = [:]

  /// How a command ends that failed with it.
  package let exitCode: ExitCode
  /// What a person can do about it.
  package private(set) var hint: String?
  /// The names that its cause may have.
  package let causes: [String]

  package init(
    _ code: Int,
    _ reason: String,
    _ message: String,
    retry: Bool = false,
    exit exitCode: ExitCode = .refused,
    hint: String? = nil,
    causes: [String] = []
  ) {
    (self.code, self.reason, self.message, self.retry) = (code, reason, message, retry)
    (self.exitCode, self.hint, self.causes) = (exitCode, hint, causes)
  }

  /// The same error with details.
  package func with(_ details: JSONObject) -> RPCError {
    var error = self
    error.details = details
    return error
  }

  /// The same error with a sentence that names more, of words that the program knows.
  package func saying(_ message: String) -> RPCError {
    var error = self
    error.message = message
    return error
  }

  /// The same error with the name of its cause.
  package func caused(by cause: String?) -> RPCError {
    var error = self
    error.cause = cause
    return error
  }

  /// The same error with what a person can do about this one.
  package func advising(_ hint: String?) -> RPCError {
    var error = self
    error.hint = hint
    return error
  }

  /// The error object of a reply.
  package var json: JSON {
    var data: JSONObject = [:]
    data["cause"] = cause.map { .string($0) }
    data["reason"] = .string(reason)
    data["retry"] = .bool(retry)
    if !details.isEmpty { data["details"] = .object(details) }
    return ["code": .int(code), "message": .string(message), "data": .object(data)]
  }
}

extension RPCError: CustomStringConvertible {
  package var description: String { "\(reason): \(message)" }
}

extension RPCError: Equatable {
  /// Errors are equal when their replies are.
  package static func == (left: RPCError, right: RPCError) -> Bool {
    (left.code, left.reason, left.message, left.retry) == (
      right.code, right.reason, right.message, right.retry
    )
      && left.cause == right.cause && left.details == right.details
  }
}
