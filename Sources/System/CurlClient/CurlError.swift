internal import CCurl

/// The reason why a request got no response.
public enum CurlError: Error, Sendable, Equatable {
  /// The URL scheme is not allowed: only https, and http to loopback hosts if enabled.
  case refusedScheme
  /// Connections to all addresses of the host are forbidden.
  case refusedAddress
  /// A header contains forbidden characters.
  case malformedHeader
  /// The host name of the server or the proxy could not be resolved.
  case unresolved(String)
  /// The server did not accept the connection.
  case refused(String)
  /// The server closed the connection, did not speak HTTP, or failed in another way.
  case unreachable(String)
  /// The response was not complete in time.
  case timeout
  /// The TLS connection failed.
  case tls(String)
  /// The server's certificate is not trusted.
  case certificate(CertificateRejection)
  /// The response exceeds the maximum size.
  case tooLarge
  /// libcurl could not be set up for the request.
  case setUp(String)
}

/// The reason why a certificate is rejected.
public enum CertificateRejection: Sendable, Equatable {
  case expired, notYetValid, otherHost, unknownIssuer

  /// Creates a reason from an error code of X509_STORE_CTX_get_error(3).
  ///
  /// libcurl checks the host name first, so the codes 0 and 1 mean that the certificate names another host.
  init?(verification: Int) {
    switch verification {
    case 0, 1: self = .otherHost
    case 9: self = .notYetValid
    case 10: self = .expired
    case 2, 7, 18, 19, 20, 21: self = .unknownIssuer
    default: return nil
    }
  }
}

extension CurlError {
  /// Creates the error for a libcurl code; `verification` is CURLINFO_SSL_VERIFYRESULT.
  init(_ code: CURLcode, verification: Int = 0, detail: String) {
    let text = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .unresolved(text)
    case CURLE_COULDNT_CONNECT: self = .refused(text)
    case CURLE_OPERATION_TIMEDOUT: self = .timeout
    case CURLE_FILESIZE_EXCEEDED: self = .tooLarge
    case CURLE_PEER_FAILED_VERIFICATION:
      self = CertificateRejection(verification: verification).map { .certificate($0) } ?? .tls(text)
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
      CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_CRL_BADFILE, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_USE_SSL_FAILED:
      self = .tls(text)
    case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_UNKNOWN_OPTION, CURLE_BAD_FUNCTION_ARGUMENT,
      CURLE_NOT_BUILT_IN:
      self = .setUp(text)
    default: self = .unreachable(text)
    }
  }
}
