internal import CCurl
public import WebAddress

/// The settings of all requests of a client.
public struct CurlSettings: Sendable, Equatable {
  /// File with certificate authorities that replace the system's.
  public var certificateAuthorityFile: String?
  /// The proxy; proxy variables of the environment are ignored.
  public var proxy: WebURL?
  /// True if `http://` to loopback hosts is allowed.
  public var allowsLoopbackHTTP: Bool
  public var userAgent: String
  /// Maximum time for name resolution, connection and TLS handshake together.
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
  /// Sets the options that only the settings, the scheme and the proxy determine; throws an error if libcurl
  /// refuses an option.
  func setPolicy(_ settings: CurlSettings, scheme: Origin.Scheme, proxy: WebURL?) throws(CurlError) {
    try set(CURLOPT_PROTOCOLS_STR, scheme.rawValue)
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    // The path may be part of a signature, so it must not be normalised.
    try set(CURLOPT_PATH_AS_IS, 1)
    // HTTP/2 is not needed, and would add a parser to the process that receives external data.
    try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    try set(CURLOPT_HTTP09_ALLOWED, 0)
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // In a loop iteration libcurl fills its buffer up to 100 times, and calls back for each chunk in it. With
    // the smallest buffer, chunks of one byte do not delay other transfers.
    try set(CURLOPT_BUFFERSIZE, Self.bufferSize)
    try set(CURLOPT_NETRC, 0)
    try set(CURLOPT_USERAGENT, settings.userAgent)
    // NOSIGNAL prevents SIGALRM. With QUICK_EXIT, the end of a request does not block the loop if a name
    // server does not respond.
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_QUICK_EXIT, 1)

    try set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    try set(CURLOPT_PROXY_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    try set(CURLOPT_PROXY_SSL_VERIFYPEER, 1)
    try set(CURLOPT_PROXY_SSL_VERIFYHOST, 2)
    if let file = settings.certificateAuthorityFile {
      // Without CAPATH, the distribution's certificate directory is not trusted in addition to the file.
      try set(CURLOPT_CAINFO, file)
      try set(CURLOPT_CAPATH, nil)
      try set(CURLOPT_PROXY_CAINFO, file)
      try set(CURLOPT_PROXY_CAPATH, nil)
    }

    // Both options are always set, because libcurl takes unset proxy options from the environment.
    try set(CURLOPT_PROXY, proxy?.text ?? "")
    try set(CURLOPT_NOPROXY, proxy == nil ? "*" : "")
  }

  private static let bufferSize = 1024

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
