internal import CourierProtocol
internal import HTTPServer
internal import Hashing
internal import WebAddress

/// Why a request is not the redirect, as the status of its response.
enum RedirectRefusal: Int, Error {
  case malformed = 400
  case notFound = 404
  case methodNotAllowed = 405
}

extension ExpectedRedirect {
  /// The query of the redirect, exactly as it was sent, if the request is the one that is expected.
  func query(of request: HTTPRequest, port: UInt16) throws(RedirectRefusal) -> String {
    // A page of elsewhere can give its own name this machine's address, but not send another name than its own.
    let hosts = request.headers.values("host").map { $0.lowercased() }
    guard hosts == ["127.0.0.1:\(port)"] || hosts == ["localhost:\(port)"] else { throw .malformed }
    // By bytes: texts compare equal when they only look equal.
    let parts = request.target.utf8.split(
      separator: UInt8(ascii: "?"),
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    guard parts[0].elementsEqual(path.utf8) else { throw .notFound }
    guard request.method == "GET" else { throw .methodNotAllowed }
    guard parts.count == 2, let query = String(parts[1]), Self.isQuery(query) else { throw .malformed }
    return query
  }
}

extension ExpectedRedirect {
  /// Whether a query brings the `state` that is waited for; anybody can send one with another.
  func isAnswered(by query: String) -> Bool {
    guard let state = FormEncoding.decodeUnique(query)?.first(where: { $0.0 == "state" })?.1,
      let digest = SHA256.digest(Array(state.utf8))
    else { return false }
    return digest == stateDigest
  }
}

extension HTTPResponse {
  /// What the browser shows when a redirect has come: the same for every outcome, and for those that nobody waits for.
  static var done: HTTPResponse {
    let page = """
      <!DOCTYPE html>
      <html lang="en">
      <meta charset="utf-8">
      <title>Sign-on</title>
      <p>You can close this window.</p>
      </html>

      """
    return HTTPResponse(status: 200, type: "text/html; charset=utf-8", text: page)
  }

  /// What anybody else is told.
  static func refused(_ refusal: RedirectRefusal) -> HTTPResponse {
    var response =
      switch refusal {
      case .malformed: HTTPResponse(status: 400, type: "text/plain", text: "Bad request\n")
      case .notFound: HTTPResponse(status: 404, type: "text/plain", text: "Not found\n")
      case .methodNotAllowed: HTTPResponse(status: 405, type: "text/plain", text: "Method not allowed\n")
      }
    if refusal == .methodNotAllowed { response.headers.add("Allow", "GET") }
    return response
  }

  /// A response that a browser neither keeps, guesses about, frames nor follows, and after which the connection ends.
  private init(status: Int, type: String, text: String) {
    let headers = HTTPHeaders([
      ("Content-Type", type), ("Connection", "close"), ("Cache-Control", "no-store"),
      ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
      ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
    ])
    self.init(status: status, headers: headers, body: Array(text.utf8))
  }
}
