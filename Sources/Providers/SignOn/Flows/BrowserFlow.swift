internal import Configuration
internal import ControlAPI
internal import CourierLink
internal import CourierProtocol
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import WebAddress

/// A sign-on in a browser that redirects to this machine, RFC 8252 section 7.3.
///
/// The courier listens for the redirect. If the browser runs on another machine, the user pastes its final
/// address.
@EventLoop
final class BrowserFlow: SignOnFlow {
  private let login: Login
  private var listener: CourierListener?
  private var address: String?
  /// Parameters of the redirect, until `next` processes them.
  private var arrived: JSONObject?

  /// Host names that stand for the address on which the courier listens.
  private static let listenedHosts: Set<String> = ["127.0.0.1", "localhost"]

  let method = LoginMethod.redirect

  init(_ login: Login) throws { self.login = login }

  func start() async throws -> Step {
    let client = try login.requireClient()
    guard let registered = WebURL(client.redirectURI) else { throw RPCError.notConfigured }
    let state = try ProofKey.random()
    let redirect = try await listen(registered, for: state)
    let request = try await login.makeRequest(
      responseMode: nil,
      redirectURI: redirect,
      state: state,
      pairs: true
    )
    let url = try await client.authorizationURL(request)
    guard url.origin.scheme == .https || login.configuration.allowsLoopbackHTTP else {
      throw SignOnFailure.foreignLink
    }
    address = url.text
    return .page(page())
  }

  func next(_ input: StepInput) async throws -> Step {
    try input.requireNone()
    if arrived == nil { _ = await login.mutex.wait(for: AsyncMutex.longestWait) }
    guard let response = arrived else { return .page(page()) }
    arrived = nil
    return try await complete(response)
  }

  func resume(_ address: String) async throws -> Step {
    guard let request = login.request, let address = RedirectAddress(pasted: address),
      address.leads(toAnyPortOf: request.redirectURI), let response = address.members
    else { throw RPCError.invalidParameter("uri") }
    return try await complete(response)
  }

  func end() { listener?.cancel() }

  private func complete(_ response: JSONObject) async throws -> Step {
    guard let request = login.request else { throw RPCError.conflict }
    do {
      let code = try request.code(in: response, from: try login.requireClient().issuer)
      return .done(try await login.exchange(code))
    } catch let failure as SignOnFailure where failure == .stateMismatch {
      // The user may still paste the right address.
      return .page(page(message: "not of this sign-on; paste the address that the browser ended at"))
    }
  }

  /// Returns the redirect URI with the listener's port.
  ///
  /// Issuers accept any port of a loopback address, RFC 8252 section 7.3.
  ///
  /// Returns the URI unchanged if it leads to another machine or the courier cannot listen. The user then
  /// pastes the final address.
  private func listen(_ registered: WebURL, for state: String) async throws -> String {
    guard registered.origin.scheme == .http, Self.listenedHosts.contains(registered.origin.host) else {
      return registered.text
    }
    let listener: CourierListener
    do {
      listener = try await login.transport.listen(path: registered.path, state: state, owner: login.owner)
    } catch is CourierFailure { return registered.text }
    self.listener = listener
    EventLoop.task { [weak self] in
      guard let query = try? await listener.query() else { return }
      self?.arrived = RedirectAddress.members(in: query)
      self?.login.mutex.interrupt()
    }
    return "http://\(registered.origin.host):\(listener.port)\(registered.path)"
  }

  private func page(message: String? = nil) -> SignOnPage {
    var page = SignOnPage()
    page.title = "Sign on in a browser"
    page.browserURL = address
    page.collectors = [
      Collector(key: "redirect", type: "PollingCollector", label: "Waiting for the browser")
    ]
    page.message = message
    return page
  }
}
