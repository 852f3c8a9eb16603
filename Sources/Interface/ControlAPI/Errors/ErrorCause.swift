internal import JSON
package import JSONRPC

/// Why an error came about that has several causes.
package enum ErrorCause: String, CaseIterable, Sendable {
  case dns, refused, timeout, tls, http, malformed, discovery
  case brokenOff = "broken-off"
  case notAllowed = "not-allowed"
  case courierUnavailable = "courier-unavailable"
  case notPlatform = "not-platform"
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
    case .malformed: "what it answered cannot be read"
    case .discovery: "its configuration cannot be read"
    case .brokenOff: "the connection to it broke off"
    case .notAllowed: "the configuration does not allow its address"
    case .courierUnavailable: "mfad-courier, which asks it, is not available"
    case .notPlatform: "what answers there is not the platform"
    case .notPinned: "its key is not one that the configuration names"
    case .noPlatform: "the configuration names no platform"
    case .noClientID: "the configuration names no client_id"
    case .issuerMismatch: "it says that it is another issuer"
    }
  }
}

extension [String] {
  /// The names of causes.
  static func causes(_ causes: ErrorCause...) -> [String] { causes.map(\.rawValue) }
}

extension RPCError {
  /// The same error with its cause, which its sentence tells too, and the status of an answer in HTTP's terms.
  package func because(_ cause: ErrorCause, status: Int? = nil) -> RPCError {
    let error = saying("\(message): \(cause.explanation)").caused(by: cause.rawValue)
    return status.map { error.with(["status": .int($0)]) } ?? error
  }
}
