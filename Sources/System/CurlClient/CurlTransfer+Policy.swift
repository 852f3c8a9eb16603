internal import CCurl
public import WebAddress

/// What holds for every request of a client.
public struct CurlSettings: Sendable, Equatable {
  /// File with certificate authorities instead of the system's.
  public var certificateAuthorityFile: String?
  /// The only proxy there is; those of the environment are ignored.
  public var proxy: WebURL?
  /// Whether `http://` to this machine is allowed.
  public var allowsLoopbackHTTP: Bool
  public var userAgent: String
  /// How long the name, the connection and TLS may take together.
  public var connectTimeout: Duration

  /// Settings from their parts.
  public init(
    certificateAuthorityFile: String? = nil,
    proxy: WebURL? = nil,
    allowsLoopbackHTTP: Bool = false,
    userAgent: String,
    connectTimeout: Duration = .seconds(10)
  ) {
    self.certificateAuthorityFile = certificateAuthorityFile
    self.proxy = proxy
    self.allowsLoopbackHTTP = allowsLoopbackHTTP
    self.userAgent = userAgent
    self.connectTimeout = connectTimeout
  }
}

extension CurlTransfer {
  /// Everything that must hold whatever is asked for; an option that libcurl refuses ends the request.
  func setPolicy(_ settings: CurlSettings, scheme: Origin.Scheme, proxy: WebURL?) throws(CurlError) {
    try set(CURLOPT_PROTOCOLS_STR, scheme.rawValue)
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    // The path is part of what the sender has signed.
    try set(CURLOPT_PATH_AS_IS, 1)
    // HTTP/2 would add a parser to the process that strangers talk to, for nothing that is needed.
    try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    try set(CURLOPT_HTTP09_ALLOWED, 0)
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try set(CURLOPT_NETRC, 0)
    try set(CURLOPT_USERAGENT, settings.userAgent)
    // No SIGALRM; and a name server that does not answer must not hold up the loop when its request ends.
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_QUICK_EXIT, 1)

    try set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    try set(CURLOPT_PROXY_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    try set(CURLOPT_PROXY_SSL_VERIFYPEER, 1)
    try set(CURLOPT_PROXY_SSL_VERIFYHOST, 2)
    if let file = settings.certificateAuthorityFile {
      // The distribution's directory of authorities would be trusted besides the file.
      try set(CURLOPT_CAINFO, file)
      try set(CURLOPT_CAPATH, nil)
      try set(CURLOPT_PROXY_CAINFO, file)
      try set(CURLOPT_PROXY_CAPATH, nil)
    }

    // Both are always set: an option that is not set is taken from the environment.
    try set(CURLOPT_PROXY, proxy?.text ?? "")
    try set(CURLOPT_NOPROXY, proxy == nil ? "*" : "")
  }

  func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
    try check(ccurl_set_long(easy, option, value))
  }

  func set(_ option: CURLoption, _ value: String?) throws(CurlError) {
    try check(ccurl_set_text(easy, option, value))
  }

  func check(_ code: CURLcode) throws(CurlError) {
    guard code == CURLE_OK else { throw .setUp(String(cString: curl_easy_strerror(code))) }
  }
}
