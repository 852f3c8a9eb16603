package import JSONRPC

/// Why an error came about that has several causes.
package enum ErrorCause: String, CaseIterable, Sendable {
  case dns, refused, timeout, tls, http, discovery
  case notPinned = "not-pinned"
  case noPlatform = "no-platform"
  case noClientID = "no-client-id"
  case issuerMismatch = "issuer-mismatch"

  /// What the sentence of an error goes on with.
  var explanation: String {
    switch self {
    case .dns: "the name of its host cannot be resolved"
    case .refused: "its host takes no connection"
    case .timeout: "it does not answer in time"
    case .tls: "its certificate cannot be verified"
    case .http: "it answered with an error"
    case .discovery: "its configuration cannot be read"
    case .notPinned: "its key is not one that the configuration names"
    case .noPlatform: "the configuration names no platform"
    case .noClientID: "the configuration names no client_id"
    case .issuerMismatch: "it says that it is another issuer"
    }
  }
}

extension RPCError {
  /// The same error with its cause, which its sentence tells too.
  package func because(_ cause: ErrorCause) -> RPCError {
    saying("\(message): \(cause.explanation)").caused(by: cause.rawValue)
  }

  init(
    _ code: Int,
    _ reason: String,
    _ message: String,
    retry: Bool = false,
    exit: ExitCode = .refused,
    hint: String? = nil,
    causes: [ErrorCause]
  ) {
    self.init(
      code,
      reason,
      message,
      retry: retry,
      exit: exit,
      hint: hint,
      causes: causes.map(\.rawValue)
    )
  }
}
