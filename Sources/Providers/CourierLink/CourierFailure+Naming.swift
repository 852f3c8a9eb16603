public import ControlAPI
public import CourierProtocol
public import JSONRPC
public import Journal
public import WebAddress

extension CourierFailure: NamedError {
  /// The cause of a missing or invalid response.
  public var cause: ErrorCause {
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

  public var rpcError: RPCError { rpcError(at: nil) }

  /// Returns the error for the caller of a request to `origin`.
  public func rpcError(at origin: Origin?) -> RPCError {
    (cause == .malformed ? RPCError.serverError : .noConnectivity)
      .withCause(cause, certificate: certificate, at: origin)
  }

  /// Returns the error for the caller of a request to an issuer at `origin`.
  public func issuerError(at origin: Origin) -> RPCError {
    (cause == .malformed ? RPCError.issuerFailed : .issuerUnreachable)
      .withCause(cause, certificate: certificate, at: origin)
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
