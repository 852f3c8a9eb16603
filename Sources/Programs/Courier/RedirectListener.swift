internal import CourierProtocol
internal import EventLoop
internal import HTTPServer
internal import Hashing
internal import Journal
internal import SystemCalls
internal import WebAddress

/// Listens on the loopback interface for the one redirect with which a browser ends a sign-on (RFC 8252
/// section 7.3).
///
/// Any program and any web page on this machine can send requests here, so only a request with the sign-on's
/// `state` counts. The port stays bound until the sign-on ends, since another process that binds it would
/// receive the redirect. The redirect's contents are never logged.
@EventLoop
final class RedirectListener {
  /// The port, chosen by the kernel.
  private(set) var port: UInt16 = 0

  private let expected: ExpectedRedirect
  private let onRedirect: @EventLoop (String) -> Void
  private var hasCome = false
  private var server: HTTPServer?
  private var timer: Timer?

  /// Maximum time for the browser to fetch the final page.
  private static let parting: Duration = .seconds(5)

  /// Starts to listen.
  ///
  /// Calls `onRedirect` at most once, and `onTimeout` when the time expires.
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
    Journal.debug("waiting for redirect", ["port": port])
  }

  /// Stops listening.
  ///
  /// A browser that has sent the redirect can still fetch the page.
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
        Journal.debug("a redirect is not the expected one", ["port": port])
        return .response(.done)
      }
      Journal.debug("redirect received", ["port": port])
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
  /// Limits for the redirect of a browser: one short request, with memory for unrelated cookies.
  fileprivate static var redirect: HTTPServerLimits {
    var limits = HTTPServerLimits()
    limits.connections = 64
    limits.lifetime = .seconds(5)
    limits.connectionMemory = 32 * 1024
    limits.body = 0
    return limits
  }
}

/// The reason that a request is not the redirect, as the status of its response.
enum RedirectRefusal: Int, Error {
  case malformed = 400
  case notFound = 404
  case methodNotAllowed = 405
}

extension ExpectedRedirect {
  /// Returns the unchanged query of a request that has the expected host, path and method.
  func query(of request: HTTPRequest, port: UInt16) throws(RedirectRefusal) -> String {
    // DNS rebinding: a foreign page can point its host name at this machine, but cannot send another Host
    // header.
    let hosts = request.headers.values("host").map { $0.lowercased() }
    guard hosts == ["127.0.0.1:\(port)"] || hosts == ["localhost:\(port)"] else { throw .malformed }
    // Compare bytes, since Swift treats canonically equivalent strings as equal.
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
  /// True if a query has the expected `state`.
  ///
  /// Any process can send a query with another one.
  func isAnswered(by query: String) -> Bool {
    guard let state = FormEncoding.decodeUnique(query)?.first(where: { $0.0 == "state" })?.1,
      let digest = SHA256.digest(Array(state.utf8))
    else { return false }
    return digest == stateDigest
  }
}

extension HTTPResponse {
  /// The page after a redirect.
  ///
  /// It is the same for every outcome and for unexpected redirects.
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

  /// The response to a request that is not the redirect.
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

  /// A response with headers that forbid the browser to cache, sniff or frame it, or to send a referrer.
  ///
  /// It closes the connection.
  private init(status: Int, type: String, text: String) {
    let headers = HTTPHeaders([
      ("Content-Type", type), ("Connection", "close"), ("Cache-Control", "no-store"),
      ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
      ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
    ])
    self.init(status: status, headers: headers, body: Array(text.utf8))
  }
}
