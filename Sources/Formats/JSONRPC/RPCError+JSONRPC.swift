internal import JSON

// The errors that JSON-RPC 2.0 section 5.1 has, with the names that the control interface gives them.

extension RPCError {
  package static let parseError = RPCError(
    -32700,
    "PARSE_ERROR",
    "the line is not JSON",
    hint: "a line is one JSON text in UTF-8; \"authctl rpc METHOD\" writes it for you"
  )
  package static let invalidRequest = RPCError(
    -32600,
    "INVALID_REQUEST",
    "this is not a JSON-RPC 2.0 request",
    hint:
      "a request has \"jsonrpc\":\"2.0\", a \"method\" and named \"params\"; \"authctl rpc METHOD\" writes it for you"
  )
  package static let requestTooLarge = RPCError(
    -32600,
    "REQUEST_TOO_LARGE",
    "the request is longer than 256 KiB",
    hint: "send less at once"
  )
  package static let nestingTooDeep = RPCError(
    -32600,
    "NESTING_TOO_DEEP",
    "the request is nested deeper than 32 arrays or objects",
    hint: "nothing in the interface is nested so deep: look at what is sent"
  )
  package static let duplicateName = RPCError(
    -32600,
    "DUPLICATE_NAME",
    "an object has the same name twice",
    hint: "name each member once"
  )
  package static let batchTooLarge = RPCError(
    -32600,
    "BATCH_TOO_LARGE",
    "the batch has more than 16 requests",
    hint: "send several batches"
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
    exit: .wrongUsage,
    hint: "\"authctl rpc rpc.discover\" describes the parameters of each method"
  )
  package static let internalError = RPCError(
    -32603,
    "RPC_INTERNAL_ERROR",
    "an internal error occurred",
    hint: "the daemon's journal says more: \"journalctl -u mfad\""
  )
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
