public import JSON

/// An error: the contents of an error reply, and the properties that depend on its code and reason.
public struct RPCError: Error, Sendable {
  /// The code, from JSON-RPC 2.0 section 5.1 or the control interface.
  public let code: Int
  /// The stable name, in upper case.
  public let reason: String
  /// One lower-case sentence for display that states the problem.
  ///
  /// The message must not contain input, secrets, paths or SQL.
  public private(set) var message: String
  /// True if the same call may succeed later.
  public let retry: Bool
  /// The stable name of the cause, if the error can have several causes.
  public private(set) var cause: String?
  /// Further information for programs.
  public private(set) var details: JSONObject = [:]

  /// The exit code of a command that fails with this error.
  public let exitCode: ExitCode
  /// A remedy for the user.
  public private(set) var hint: String?
  /// The possible names of the cause.
  public let causes: [String]

  public init(
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

  /// Returns the error with details.
  public func with(_ details: JSONObject) -> RPCError {
    var error = self
    error.details = details
    return error
  }

  /// Returns the error with a more specific message, composed of the program's own words.
  public func withMessage(_ message: String) -> RPCError {
    var error = self
    error.message = message
    return error
  }

  /// Returns the error with the name of its cause.
  public func caused(by cause: String?) -> RPCError {
    var error = self
    error.cause = cause
    return error
  }

  /// Returns the error with a specific hint.
  public func withHint(_ hint: String?) -> RPCError {
    var error = self
    error.hint = hint
    return error
  }

  /// The error object of a reply.
  public var json: JSON {
    var data: JSONObject = [:]
    data["cause"] = cause.map { .string($0) }
    data["reason"] = .string(reason)
    data["retry"] = .bool(retry)
    if !details.isEmpty { data["details"] = .object(details) }
    return ["code": .int(code), "message": .string(message), "data": .object(data)]
  }
}

extension RPCError: CustomStringConvertible {
  public var description: String { "\(reason): \(message)" }
}

extension RPCError: Equatable {
  /// True if the error objects in replies are equal; hints and exit codes are not compared.
  public static func == (left: RPCError, right: RPCError) -> Bool {
    (left.code, left.reason, left.message, left.retry) == (
      right.code, right.reason, right.message, right.retry
    )
      && left.cause == right.cause && left.details == right.details
  }
}

// The errors of JSON-RPC 2.0 section 5.1, with the reasons of the control interface.

extension RPCError {
  public static let parseError = RPCError(
    -32700,
    "PARSE_ERROR",
    "the line is not JSON",
    hint: "a line is one JSON text in UTF-8; \"authctl rpc METHOD\" writes it for you"
  )
  public static let invalidRequest = RPCError(
    -32600,
    "INVALID_REQUEST",
    "this is not a JSON-RPC 2.0 request",
    hint:
      "a request has \"jsonrpc\":\"2.0\", a \"method\" and named \"params\"; \"authctl rpc METHOD\" writes it for you"
  )
  public static let requestTooLarge = RPCError(
    -32600,
    "REQUEST_TOO_LARGE",
    "the request is longer than 256 KiB",
    hint: "send less at once"
  )
  public static let nestingTooDeep = RPCError(
    -32600,
    "NESTING_TOO_DEEP",
    "the request is nested deeper than 32 arrays or objects",
    hint: "no method needs such nesting: check the request"
  )
  public static let duplicateName = RPCError(
    -32600,
    "DUPLICATE_NAME",
    "an object has the same name twice",
    hint: "name each member once"
  )
  public static let batchTooLarge = RPCError(
    -32600,
    "BATCH_TOO_LARGE",
    "the batch has more than 16 requests",
    hint: "send several batches"
  )
  public static let methodNotFound = RPCError(
    -32601,
    "METHOD_NOT_FOUND",
    "there is no such method",
    hint: "this daemon is older than this command"
  )
  public static let invalidParams = RPCError(
    -32602,
    "INVALID_PARAMS",
    "the parameters must be given by name",
    exit: .wrongUsage,
    hint: "\"authctl rpc rpc.discover\" describes the parameters of each method"
  )
  public static let internalError = RPCError(
    -32603,
    "RPC_INTERNAL_ERROR",
    "an internal error occurred",
    hint: "see the daemon's journal: \"journalctl -u mfad\""
  )
  public static let resultTooLarge = RPCError(
    -32603,
    "RESULT_TOO_LARGE",
    "the result is too large for one reply",
    hint: "request fewer items"
  )

  /// Returns the error for an invalid parameter.
  public static func invalidParameter(_ name: String) -> RPCError {
    invalidParams.withMessage("the parameter \"\(name)\" is invalid").with(["parameter": .string(name)])
  }

  /// Returns the error for a parameter that must be `allowed`, such as "one of a, b".
  public static func invalidParameter(_ name: String, hasToBe allowed: String) -> RPCError {
    invalidParameter(name).withMessage("the parameter \"\(name)\" must be \(allowed)")
  }
}
