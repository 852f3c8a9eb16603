internal import WebAddress

/// Why the certificate of a server is not believed.
package enum CertificateProblem: String, CaseIterable, Sendable {
  case expired
  case notYetValid = "not-yet-valid"
  /// It is somebody else's.
  case otherHost = "other-host"
  /// Nobody vouches for it whom this machine trusts.
  case unknownIssuer = "unknown-issuer"

  func explanation(at origin: Origin?) -> String {
    let certificate = "the certificate of \(origin?.text ?? "it")"
    return switch self {
    case .expired: "\(certificate) has expired, or the clock of this machine is wrong"
    case .notYetValid: "\(certificate) is not valid yet, or the clock of this machine is wrong"
    case .otherHost: "\(certificate) is for another host"
    case .unknownIssuer: "nobody whom this machine trusts vouches for \(certificate)"
    }
  }
}
