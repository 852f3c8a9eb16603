/// The reason why a request got no response; the raw values are used in messages.
public enum CourierFailure: String, Error, Sendable, CaseIterable {
  /// The origin of the URL is not on the allow-list, or its scheme is not allowed.
  case refusedOrigin = "refused-origin"
  /// The host name resolved only to private addresses that are not configured.
  case refusedAddress = "refused-address"
  /// The host name could not be resolved.
  case unresolved = "unresolved"
  /// The host did not accept the connection.
  case refused = "refused"
  /// The host closed the connection or did not speak HTTP.
  case unreachable = "unreachable"
  /// The response was not complete in time.
  case timeout = "timeout"
  /// The TLS connection failed.
  case tls = "tls"
  /// The certificate has expired.
  case expiredCertificate = "tls-expired"
  /// The certificate is not valid yet.
  case earlyCertificate = "tls-not-yet-valid"
  /// The certificate is for another host.
  case foreignCertificate = "tls-other-host"
  /// No trusted certificate authority issued the certificate.
  case unknownCertificate = "tls-unknown-issuer"
  /// The request or the response exceeds the maximum size.
  case tooLarge = "too-large"
  /// The courier does not support the request.
  case malformed = "malformed"
  /// The client cancelled the request.
  case cancelled = "cancelled"
  /// Too many requests are in flight.
  case busy = "busy"
  /// The courier has no valid configuration. It refuses all requests until it has one.
  case misconfigured = "misconfigured"
  /// The courier ended or is unreachable. The request may or may not have been sent.
  case courierGone = "courier-gone"

  /// True if the same request may succeed later without any change.
  public var isTransient: Bool {
    switch self {
    case .unresolved, .refused, .unreachable, .timeout, .busy, .misconfigured, .courierGone: true
    case .refusedOrigin, .refusedAddress, .tls, .expiredCertificate, .earlyCertificate, .foreignCertificate,
      .unknownCertificate, .tooLarge, .malformed, .cancelled:
      false
    }
  }

  /// True if the server may have processed the request although there is no response.
  public var mayHaveArrived: Bool {
    switch self {
    case .unreachable, .timeout, .courierGone, .cancelled, .tooLarge, .malformed: true
    case .unresolved, .refused, .refusedOrigin, .refusedAddress, .tls, .expiredCertificate, .earlyCertificate,
      .foreignCertificate, .unknownCertificate, .busy, .misconfigured:
      false
    }
  }
}
