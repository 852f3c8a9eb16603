internal import CCurl

/// Why there is no response.
public enum CurlError: Error, Sendable, Equatable {
  /// The URL's protocol is not allowed: `http` other than to this machine, or not at all.
  case refusedScheme
  /// Every address of the host is one that must not be connected to.
  case refusedAddress
  /// A header cannot be sent as it is.
  case malformedHeader
  /// The host's name, or the proxy's, was not found.
  case unresolved(String)
  /// The host did not accept.
  case refused(String)
  /// The host broke off or did not speak HTTP.
  case unreachable(String)
  /// There was no whole response in time.
  case timeout
  /// There was no TLS connection that can be trusted.
  case tls(String)
  /// The certificate of the host is not one that can be trusted.
  case certificate(CertificateRejection)
  /// The response is larger than allowed.
  case tooLarge
  /// The library could not be set up for the request.
  case setUp(String)
}

/// What is wrong with a certificate.
public enum CertificateRejection: Sendable, Equatable {
  case expired, notYetValid, otherHost, unknownIssuer

  /// By what OpenSSL found, the error codes of X509_STORE_CTX_get_error(3); the names are looked at first, before there is
  /// one but that nothing is known.
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
  /// The failure that a code of libcurl stands for; `verification` is CURLINFO_SSL_VERIFYRESULT.
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
