/// Why a request brought no response; the raw values are what the messages say.
public enum CourierFailure: String, Error, Sendable, CaseIterable {
  /// The URL's origin is not on the allow-list, or its protocol is not allowed.
  case refusedOrigin = "refused-origin"
  /// The host's name led only to addresses that are private and not configured.
  case refusedAddress = "refused-address"
  /// The host's name was not found.
  case unresolved = "unresolved"
  /// The host did not accept.
  case refused = "refused"
  /// The host broke off or did not speak HTTP.
  case unreachable = "unreachable"
  /// There was no whole response in time.
  case timeout = "timeout"
  /// There was no TLS connection that can be trusted.
  case tls = "tls"
  /// The certificate has expired.
  case expiredCertificate = "tls-expired"
  /// The certificate is not valid yet.
  case earlyCertificate = "tls-not-yet-valid"
  /// The certificate is for another host.
  case foreignCertificate = "tls-other-host"
  /// The certificate is vouched for by nobody who is trusted.
  case unknownCertificate = "tls-unknown-issuer"
  /// The request or the response is larger than allowed.
  case tooLarge = "too-large"
  /// The request is one that the courier does not carry.
  case malformed = "malformed"
  /// The request was cancelled by who made it.
  case cancelled = "cancelled"
  /// Too many requests are under way.
  case busy = "busy"
  /// The courier has no configuration that it could use, and carries nothing until it has.
  case misconfigured = "misconfigured"
  /// The courier ended or could not be reached; whether the request went out is not known.
  case courierGone = "courier-gone"

  /// Whether the same request may succeed later without anything being changed.
  public var isTransient: Bool {
    switch self {
    case .unresolved, .refused, .unreachable, .timeout, .busy, .misconfigured, .courierGone: true
    case .refusedOrigin, .refusedAddress, .tls, .expiredCertificate, .earlyCertificate, .foreignCertificate,
      .unknownCertificate, .tooLarge, .malformed, .cancelled:
      false
    }
  }

  /// Whether the server may have done what no response came to.
  public var mayHaveArrived: Bool {
    switch self {
    case .unreachable, .timeout, .courierGone, .cancelled, .tooLarge, .malformed: true
    case .unresolved, .refused, .refusedOrigin, .refusedAddress, .tls, .expiredCertificate, .earlyCertificate,
      .foreignCertificate, .unknownCertificate, .busy, .misconfigured:
      false
    }
  }
}
