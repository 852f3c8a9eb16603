package import ControlAPI
package import CourierProtocol
package import JSONRPC
internal import Journal
package import WebAddress

extension CourierFailure: NamedError {
  /// Why no response came, or what was wrong with the one that did.
  package var cause: ErrorCause {
    switch self {
    case .unresolved: .dns
    case .refused: .refused
    case .unreachable: .brokenOff
    case .timeout: .timeout
    case .tls, .expiredCertificate, .earlyCertificate, .foreignCertificate, .unknownCertificate: .tls
    case .refusedOrigin, .refusedAddress: .notAllowed
    case .cancelled, .busy, .misconfigured, .courierGone: .courierUnavailable
    case .tooLarge, .malformed: .malformed
    }
  }

  package var rpcError: RPCError { rpcError(at: nil) }

  /// The error that a caller hears, of a request to that origin.
  package func rpcError(at origin: Origin?) -> RPCError {
    (cause == .malformed ? RPCError.serverError : .noConnectivity)
      .because(cause, certificate: certificate, at: origin)
  }

  /// The error that a caller hears, of a request to an issuer at that origin.
  package func issuerError(at origin: Origin) -> RPCError {
    (cause == .malformed ? RPCError.issuerFailed : .issuerUnreachable)
      .because(cause, certificate: certificate, at: origin)
  }

  private var certificate: CertificateProblem? {
    switch self {
    case .expiredCertificate: .expired
    case .earlyCertificate: .notYetValid
    case .foreignCertificate: .otherHost
    case .unknownCertificate: .unknownIssuer
    default: nil
    }
  }
}

extension CourierFailure: JournalWord {
}
