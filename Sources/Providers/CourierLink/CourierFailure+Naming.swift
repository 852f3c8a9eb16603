public import ControlAPI
public import CourierProtocol
public import JSONRPC
public import Journal
public import WebAddress

extension CourierFailure: NamedError {
  /// Why no response came, or what was wrong with the one that did.
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

  /// The error that a caller hears, of a request to that origin.
  public func rpcError(at origin: Origin?) -> RPCError {
    (cause == .malformed ? RPCError.serverError : .noConnectivity)
      .because(cause, certificate: certificate, at: origin)
  }

  /// The error that a caller hears, of a request to an issuer at that origin.
  public func issuerError(at origin: Origin) -> RPCError {
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
