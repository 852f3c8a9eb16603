internal import CCurl
public import EventLoop
internal import Time
internal import WebAddress

/// A request in flight; `cancel` ends it without a response.
@EventLoop
public final class CurlTransfer {
  typealias Completion = @EventLoop (Result<CurlResponse, CurlError>) -> Void

  let easy: UnsafeMutableRawPointer
  let completion: Completion
  /// Called with parts of the body as they arrive with status 200; `nil` if the response shall contain it.
  let onBytes: (@EventLoop ([UInt8]) -> Void)?
  private(set) var isCancelled = false
  private let state: TransferState
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private let client: CurlClient

  init(
    _ request: CurlRequest,
    settings: CurlSettings,
    client: CurlClient,
    onBytes: (@EventLoop ([UInt8]) -> Void)?,
    completion: @escaping Completion
  ) throws(CurlError) {
    let origin = request.url.origin
    guard origin.scheme == .https || (settings.allowsLoopbackHTTP && origin.isLoopback) else {
      throw .refusedScheme
    }
    guard let easy = curl_easy_init() else { throw .setUp("curl_easy_init") }
    self.easy = easy
    self.client = client
    self.completion = completion
    self.onBytes = onBytes
    // Requests to loopback hosts must not go to a proxy.
    let proxy = origin.isLoopback ? nil : settings.proxy
    state = TransferState(
      maximumBody: request.maximumBody,
      permitted: proxy == nil ? .ofHost(origin.host) : .any
    )
    do {
      try setCallbacks()
      try setPolicy(settings, scheme: origin.scheme, proxy: proxy)
      try set(CURLOPT_URL, request.url.text)
      try setTimeouts(request.timeout, connecting: settings.connectTimeout)
      try setMethod(request)
      try setHeaders(request.headers)
    } catch {
      free()
      throw error
    }
  }

  /// Cancels the transfer; its completion is not called.
  public func cancel() {
    isCancelled = true
    client.cancel(self)
  }

  /// Returns the result, from libcurl's code and the state of the callbacks.
  func outcome(_ code: CURLcode) -> Result<CurlResponse, CurlError> {
    guard code == CURLE_OK else {
      if state.isTooLarge { return .failure(.tooLarge) }
      if code == CURLE_COULDNT_CONNECT, state.wasRefused { return .failure(.refusedAddress) }
      let verification = information(CURLINFO_SSL_VERIFYRESULT)
      return .failure(CurlError(code, verification: verification, detail: String(cString: state.message)))
    }
    return .success(CurlResponse(status: status, headers: state.headers, body: state.body))
  }

  /// Returns the body bytes that arrived since the last call; empty without `onBytes` or status 200.
  func arrived() -> [UInt8] { onBytes != nil && status == 200 ? state.takeOut() : [] }

  private var status: Int { information(CURLINFO_RESPONSE_CODE) }

  private func information(_ kind: CURLINFO) -> Int {
    var value = 0
    ccurl_get_long(easy, kind, &value)
    return value
  }

  /// Releases the libcurl objects; must be called once, after the transfer has left the multi handle.
  func free() {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headerList)
  }

  private func setCallbacks() throws(CurlError) {
    let context = Unmanaged.passUnretained(state).toOpaque()
    try check(ccurl_set_body_callback(easy, curlDidReceiveBody))
    try check(ccurl_set_pointer(easy, CURLOPT_WRITEDATA, context))
    try check(ccurl_set_header_callback(easy, curlDidReceiveHeader))
    try check(ccurl_set_pointer(easy, CURLOPT_HEADERDATA, context))
    try check(ccurl_set_open_callback(easy, curlWillConnect))
    try check(ccurl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, context))
    try check(ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, state.message))
  }

  private func setTimeouts(_ timeout: Duration?, connecting longest: Duration) throws(CurlError) {
    let connecting = min(timeout ?? longest, longest)
    try set(CURLOPT_TIMEOUT_MS, Int(timeout?.millisecondsRoundedUp ?? 0))
    try set(CURLOPT_CONNECTTIMEOUT_MS, Int(connecting.millisecondsRoundedUp))
  }

  private func setMethod(_ request: CurlRequest) throws(CurlError) {
    if !request.body.isEmpty || request.method == "POST" || request.method == "PUT" {
      try set(CURLOPT_POST, 1)
      try check(ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, request.body.count))
      // Without a buffer, libcurl would read the body from standard input.
      let body = request.body + [0]
      let code = body.withUnsafeBytes { bytes in
        ccurl_set_text(easy, CURLOPT_COPYPOSTFIELDS, bytes.bindMemory(to: CChar.self).baseAddress)
      }
      try check(code)
    }
    try set(CURLOPT_CUSTOMREQUEST, request.method)
    // On a reused connection, libcurl repeats a request that got no response, and the caller is not notified.
    // Only a GET may be repeated in this way.
    if request.method != "GET" { try set(CURLOPT_FRESH_CONNECT, 1) }
  }

  private func setHeaders(_ headers: [(name: String, value: String)]) throws(CurlError) {
    let names = Set(headers.map { $0.name.lowercased() })
    // libcurl adds these fields by default; a name without a value suppresses them.
    for name in ["Expect", "Content-Type"] where !names.contains(name.lowercased()) {
      try append("\(name):")
    }
    for (name, value) in headers {
      guard (name + value).utf8.allSatisfy({ $0 >= 0x20 || $0 == 0x09 }), !name.utf8.contains(0x3A) else {
        throw .malformedHeader
      }
      // In libcurl, an empty value removes a field, and a semicolon sends it with an empty value.
      try append(value.allSatisfy(\.isWhitespace) ? "\(name);" : "\(name): \(value)")
    }
    try check(ccurl_set_list(easy, CURLOPT_HTTPHEADER, headerList))
  }

  private func append(_ line: String) throws(CurlError) {
    guard let list = curl_slist_append(headerList, line) else { throw .setUp("curl_slist_append") }
    headerList = list
  }
}
