internal import CourierProtocol
internal import EventLoop
internal import HTTPServer
internal import Hashing
internal import Journal
internal import SystemCalls
internal import WebAddress

/// Waits on this machine's loopback for the one redirect with which a browser ends a sign-on (RFC 8252 section 7.3).
///
/// Any program and any web page on this machine can send something here, so that only the `state` of the sign-on ends
/// the wait. The port is kept until the sign-on is over: whoever took it before would get what is meant for it. What the
/// redirect says is for its receiver alone: no line of the journal has it.
@EventLoop
final class RedirectListener {
  /// The port, chosen by the kernel.
  private(set) var port: UInt16 = 0

  private let expected: ExpectedRedirect
  private let onRedirect: @EventLoop (String) -> Void
  private var hasCome = false
  private var server: HTTPServer?
  private var timer: Timer?

  /// How long the browser may take to fetch the page that tells it that it is done.
  private static let parting: Duration = .seconds(5)

  /// Listens from now on; `onRedirect` is called once at most, and `onTimeout` when the time is over.
  init(
    _ expected: ExpectedRedirect,
    onRedirect: @escaping @EventLoop (String) -> Void,
    onTimeout: @escaping @EventLoop () -> Void
  ) throws(CourierFailure) {
    (self.expected, self.onRedirect) = (expected, onRedirect)
    do throws(SystemError) {
      let server = try HTTPServer(port: 0, limits: .redirect) { [weak self] request in
        self?.reply(to: request) ?? .dropConnection
      }
      self.server = server
      port = server.port
    } catch {
      Journal.warning("cannot listen for a redirect", ["error": error])
      throw .busy
    }
    timer = EventLoop.after(expected.timeout) { [weak self] in
      self?.cancel()
      onTimeout()
    }
    Journal.debug("redirect awaited", ["port": port])
  }

  /// Stops listening without a word; who brought the redirect may still fetch the page.
  func cancel() {
    timer?.cancel()
    if hasCome { server?.finish(within: Self.parting) } else { server?.stop() }
    server = nil
  }

  private func reply(to request: HTTPRequest) -> HTTPReply {
    do throws(RedirectRefusal) {
      guard server != nil else { throw .notFound }
      let query = try expected.query(of: request, port: port)
      guard !hasCome, expected.isAnswered(by: query) else {
        Journal.debug("a redirect is not the one that is awaited", ["port": port])
        return .response(.done)
      }
      Journal.debug("redirect came", ["port": port])
      hasCome = true
      onRedirect(query)
      return .response(.done)
    } catch {
      Journal.debug("request is not the redirect", ["port": port, "status": error.rawValue])
      return .response(.refused(error))
    }
  }
}

extension HTTPServerLimits {
  /// A browser that brings a redirect: one head on one connection, at once, with room for cookies of others.
  fileprivate static var redirect: HTTPServerLimits {
    var limits = HTTPServerLimits()
    limits.connections = 64
    limits.lifetime = .seconds(5)
    limits.connectionMemory = 32 * 1024
    limits.body = 0
    return limits
  }
}

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
