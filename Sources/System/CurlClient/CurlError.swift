internal import CCurl

/// Why there is no response.
package enum CurlError: Error, Sendable, Equatable {
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
  /// The response is larger than allowed.
  case tooLarge
  /// The library could not be set up for the request.
  case setUp(String)
}

extension CurlError {
  /// The failure that a code of libcurl stands for.
  init(_ code: CURLcode, detail: String) {
    let text = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .unresolved(text)
    case CURLE_COULDNT_CONNECT: self = .refused(text)
    case CURLE_OPERATION_TIMEDOUT: self = .timeout
    case CURLE_FILESIZE_EXCEEDED: self = .tooLarge
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
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
