package import JSON

/// The error of a reply: a code and a sentence, with a stable name for programs.
package struct RPCError: Error, Sendable, Equatable {
  /// The code, by JSON-RPC 2.0 section 5.1 or the control interface.
  package let code: Int
  /// The stable name, in upper case.
  package let reason: String
  /// One lower-case sentence for a person; never input, secrets, paths or SQL.
  package let message: String
  /// Whether the same call may work later.
  package let retry: Bool
  /// What a program may want to know beyond the name.
  package var details: JSONObject

  /// An error without details.
  package init(_ code: Int, _ reason: String, _ message: String, retry: Bool = false) {
    self.init(code, reason, message, retry: retry, details: [:])
  }

  private init(_ code: Int, _ reason: String, _ message: String, retry: Bool, details: JSONObject) {
    (self.code, self.reason, self.message, self.retry, self.details) = (code, reason, message, retry, details)
  }

  /// The same error with details.
  package func with(_ details: JSONObject) -> RPCError {
    RPCError(code, reason, message, retry: retry, details: details)
  }

  /// The error object of a reply.
  package var json: JSON {
    var data: JSONObject = ["reason": .string(reason), "retry": .bool(retry)]
    if !details.isEmpty { data["details"] = .object(details) }
    return ["code": .int(code), "message": .string(message), "data": .object(data)]
  }
}

extension RPCError {
  /// The line is not JSON.
  package static let parseError = RPCError(-32700, "PARSE_ERROR", "the line is not JSON")
  /// The JSON is no request.
  package static let invalidRequest = RPCError(
    -32600,
    "INVALID_REQUEST",
    "this is not a JSON-RPC 2.0 request"
  )
  /// The line is too long.
  package static let requestTooLarge = RPCError(-32600, "REQUEST_TOO_LARGE", "the request is too large")
  /// Arrays or objects are nested too deep.
  package static let nestingTooDeep = RPCError(-32600, "NESTING_TOO_DEEP", "the request is nested too deep")
  /// An object has a name twice.
  package static let duplicateName = RPCError(-32600, "DUPLICATE_NAME", "an object has the same name twice")
  /// A batch has too many items.
  package static let batchTooLarge = RPCError(-32600, "BATCH_TOO_LARGE", "the batch has too many items")
  /// There is no such method.
  package static let methodNotFound = RPCError(-32601, "METHOD_NOT_FOUND", "there is no such method")
  /// A parameter is missing, unknown or not of its type.
  package static let invalidParams = RPCError(
    -32602,
    "INVALID_PARAMS",
    "a parameter is missing, unknown or wrong"
  )
  /// The program has a fault.
  package static let internalError = RPCError(-32603, "RPC_INTERNAL_ERROR", "an internal error occurred")
  /// The reply would be too long.
  package static let resultTooLarge = RPCError(
    -32603,
    "RESULT_TOO_LARGE",
    "the result is too large for one reply"
  )

  /// Parameters are wrong because of one, which is named if its name is known to the program.
  package static func invalidParameter(_ name: String) -> RPCError {
    invalidParams.with(["parameter": .string(name)])
  }
}
