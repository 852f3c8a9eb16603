internal import JSON
package import JSONRPC
package import WebAddress

/// Why an error came about that has several causes.
package enum ErrorCause: String, CaseIterable, Sendable {
  // The network and whoever is asked.
  case dns, refused, timeout, tls, http, malformed, discovery
  case brokenOff = "broken-off"
  case notAllowed = "not-allowed"
  case courierUnavailable = "courier-unavailable"
  case notPlatform = "not-platform"
  case notPinned = "not-pinned"
  // The configuration.
  case noPlatform = "no-platform"
  case noClientID = "no-client-id"
  case issuerMismatch = "issuer-mismatch"
  // The key-encryption key.
  case keyMissing = "key-missing"
  case keyExposed = "key-exposed"
  case keySealed = "key-sealed"
  case keyUnreadable = "key-unreadable"
  case anotherKey = "another-key"
  // The state.
  case full, corrupt, busy, newer
  case readOnly = "read-only"
  case diskError = "disk-error"
  // The machine.
  case clockSkew = "clock-skew"

  /// What the sentence of an error goes on with, of the origin that was asked.
  func explanation(at origin: Origin?) -> String {
    let it = origin?.text ?? "it"
    return switch self {
    case .dns: "the name \(origin?.host ?? "of its host") cannot be resolved"
    case .refused: "\(it) takes no connection"
    case .timeout: "\(it) does not answer in time"
    case .tls: "the certificate of \(it) cannot be verified"
    case .http: "\(it) answered with an error"
    case .malformed: "what \(it) answered cannot be read"
    case .discovery: "the OpenID configuration of \(it) cannot be read"
    case .brokenOff: "the connection to \(it) broke off"
    case .notAllowed: "the configuration does not allow the address of \(it)"
    case .courierUnavailable: "mfad-courier, which asks \(it), is not available"
    case .notPlatform: "what answers at \(it) is not the platform"
    case .notPinned: "the key of \(it) is not one that the configuration names; nothing was sent"
    case .noPlatform: "the configuration names no platform"
    case .noClientID: "the configuration names no client_id"
    case .issuerMismatch: "\(it) says that it is another issuer"
    case .keyMissing: "it is at none of its places"
    case .keyExposed: "others than the service may read its file"
    case .keySealed: "what keeps it sealed does not hand it over"
    case .keyUnreadable: "what is kept of it cannot be read"
    case .anotherKey: "the one that is there does not open what was sealed"
    case .full: "the disk is full"
    case .corrupt: "the database is damaged"
    case .busy: "something else holds it"
    case .newer: "a later version of mfad wrote it"
    case .diskError: "the disk fails"
    case .readOnly: "its files cannot be written"
    case .clockSkew: "one of them is wrong"
    }
  }
}

extension [String] {
  /// The names of causes.
  static func causes(_ causes: ErrorCause...) -> [String] { causes.map(\.rawValue) }
}

extension RPCError {
  /// The same error with its cause, which its sentence tells too, and what is known of it: the status of an answer, the
  /// origin that was asked, or what is wrong with its certificate.
  package func because(
    _ cause: ErrorCause,
    status: Int? = nil,
    certificate: CertificateProblem? = nil,
    at origin: Origin? = nil
  ) -> RPCError {
    let explanation = certificate?.explanation(at: origin) ?? cause.explanation(at: origin)
    let words = explanation + (status.map { " (\($0))" } ?? "")
    var details = details
    details["certificate"] = certificate.map { .string($0.rawValue) }
    details["origin"] = origin.map { .string($0.text) }
    details["status"] = status.map { .int($0) }
    return saying("\(message): \(words)").caused(by: cause.rawValue)
      .advising(cause.remedy(at: origin)).with(details)
  }
}
