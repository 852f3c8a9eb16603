internal import JSON

// The errors that JSON-RPC 2.0 section 5.1 has, with the names that the control interface gives them.

extension RPCError {
  package static let parseError = RPCError(-32700, "PARSE_ERROR", "the line is not JSON")
  package static let invalidRequest = RPCError(
    -32600,
    "INVALID_REQUEST",
    "this is not a JSON-RPC 2.0 request"
  )
  package static let requestTooLarge = RPCError(
    -32600,
    "REQUEST_TOO_LARGE",
    "the request is longer than 256 KiB"
  )
  package static let nestingTooDeep = RPCError(
    -32600,
    "NESTING_TOO_DEEP",
    "the request is nested deeper than 32 arrays or objects"
  )
  package static let duplicateName = RPCError(-32600, "DUPLICATE_NAME", "an object has the same name twice")
  package static let batchTooLarge = RPCError(
    -32600,
    "BATCH_TOO_LARGE",
    "the batch has more than 16 requests"
  )
  package static let methodNotFound = RPCError(
    -32601,
    "METHOD_NOT_FOUND",
    "there is no such method",
    hint: "this daemon is older than this command"
  )
  package static let invalidParams = RPCError(
    -32602,
    "INVALID_PARAMS",
    "the parameters have to be given by their names",
    exit: .wrongUsage
  )
  package static let internalError = RPCError(-32603, "RPC_INTERNAL_ERROR", "an internal error occurred")
  package static let resultTooLarge = RPCError(
    -32603,
    "RESULT_TOO_LARGE",
    "the result is too large for one reply",
    hint: "ask for fewer at once"
  )

  /// A parameter, by its name, is not as it has to be.
  package static func invalidParameter(_ name: String) -> RPCError {
    invalidParams.saying("the parameter \"\(name)\" does not fit").with(["parameter": .string(name)])
  }

  /// A parameter, by its name, is not what it has to be, such as "one of a, b".
  package static func invalidParameter(_ name: String, hasToBe allowed: String) -> RPCError {
    invalidParameter(name).saying("the parameter \"\(name)\" has to be \(allowed)")
  }
}
