internal import CourierProtocol
internal import EventLoop
internal import HTTPServer
internal import Journal
internal import SystemCalls

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
