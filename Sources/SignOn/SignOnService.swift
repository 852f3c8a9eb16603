package import Authenticator
package import ControlAPI
internal import CourierProtocol
package import EventLoop
package import Glibc
internal import JSON
internal import JSONRPC
internal import WebAddress
internal import Configuration

/// Runs sign-ons: begins them, answers their steps, and hands their ID token on to be paired with.
@EventLoop
package final class SignOnService {
  let directory: IssuerDirectory
  let authenticator: Authenticator
  private var logins: [String: Login] = [:]
  private var ended: [String: uid_t] = [:]

  private static let maximumPerOwner = 4
  private static let lifetime = Duration.seconds(600)

  /// Parameters that a caller may add although a standard uses them; OpenID Connect Core section 3.1.2.1.
  private static let allowedParameters: Set<String> = ["prompt", "login_hint", "ui_locales", "acr_values"]
  private static let ownParameters: Set<String> = [
    "response_type", "response_mode", "client_id", "scope", "redirect_uri", "state", "nonce",
    "code_challenge",
    "code_challenge_method", "mobilePayload", "request", "request_uri", "registration", "display", "max_age",
    "id_token_hint", "claims", "claims_locales", "resource", "audience", "dpop_jkt",
  ]

  /// A service over a directory of issuers.
  package init(directory: IssuerDirectory, authenticator: Authenticator) {
    (self.directory, self.authenticator) = (directory, authenticator)
    authenticator.whenErased { [weak self] in self?.forget($0) }
  }

  /// Ends every sign-on of an owner that was erased, and remembers none of them.
  private func forget(_ owner: uid_t) {
    for login in logins.values where login.owner == owner { end(login) }
    ended = ended.filter { $0.value != owner }
  }

  /// Begins a sign-on and returns its first step.
  package func start(_ call: LoginStart, owner: uid_t) async throws -> Node {
    let configuration = directory.configuration
    guard let clientID = configuration.clientID, let redirect = configuration.redirectURI else {
      throw RPCError.notConfigured
    }
    let issuers = try await authenticator.acceptedIssuers(of: owner)
    guard let issuer = call.issuer ?? issuers.first else { throw RPCError.notConfigured }
    guard issuers.contains(where: { $0.hasSameBytes(as: issuer) }), let origin = WebURL(issuer)?.origin else {
      throw RPCError.invalidParameter("issuer")
    }
    guard call.parameters.allSatisfy({ Self.isAllowed($0.name) }) else {
      throw RPCError.invalidParameter("parameters")
    }
    try checkRoom(for: owner)
    let discovery = try await directory.discovery(of: issuer)
    // Others may have begun meanwhile; from here to the insertion nothing waits.
    try checkRoom(for: owner)
    let login = try Login(
      id: try Authenticator.makeID(),
      owner: owner,
      issuer: discovery,
      origin: origin,
      proofKey: try ProofKey(),
      acceptLanguage: call.locale
    )
    // From here it counts against the owner's limit, also while its first step is fetched.
    logins[login.id] = login
    EventLoop.after(Self.lifetime) { [weak self] in self?.end(login) }
    do {
      let payload = try await authenticator.makePayload(
        for: owner,
        audience: issuer,
        challenge: login.proofKey.challenge
      )
      let request =
        [
          ("response_type", "code"), ("response_mode", "pi.flow"), ("client_id", clientID),
          ("scope", configuration.scope), ("redirect_uri", redirect), ("state", login.state),
          ("nonce", login.nonce), ("code_challenge", login.proofKey.challenge),
          ("code_challenge_method", "S256"), ("mobilePayload", payload.mobilePayload),
        ] + call.parameters.map { ($0.name, $0.value) }
      let document = try await authorize(login, request, clientID: clientID)
      return try await node(for: document, of: login)
    } catch {
      logins[login.id] = nil
      throw error
    }
  }

  private func checkRoom(for owner: uid_t) throws {
    guard logins.values.count(where: { $0.owner == owner }) < Self.maximumPerOwner else {
      throw RPCError.quota.with(["limit": .int(Self.maximumPerOwner)])
    }
  }

  private static func isAllowed(_ name: String) -> Bool {
    allowedParameters.contains(name) || (!ownParameters.contains(name) && !name.isEmpty)
  }

  /// Answers the step that a sign-on waits with, and returns the next.
  package func next(_ call: LoginNext, owner: uid_t) async throws -> Node {
    let login = try login(call.login, owner: owner)
    guard let flow = login.flow, !login.isBusy else { throw RPCError.conflict }
    login.isBusy = true
    defer { login.isBusy = false }
    let step = try SignOnPolicy.request(for: flow, values: call.values, action: call.action)
    let response = try await post(step.body, as: step.mediaType, to: step.url, login)
    guard let document = try? JSON(parsing: response.body) else { throw finish(login, .serverError) }
    if response.status == 400, let message = SignOnPolicy.wrongInput(document) {
      return SignOnPolicy.node(for: flow, of: login, message: message) ?? failure(login, "UNEXPECTED_STEP")
    }
    guard response.status == 200 else { throw RPCError.serverError }
    return try await node(for: document, of: login)
  }

  /// Ends a sign-on.
  package func cancel(_ id: String, owner: uid_t) throws {
    end(try login(id, owner: owner))
  }

  private func login(_ id: String, owner: uid_t) throws -> Login {
    if let login = logins[id], login.owner == owner { return login }
    throw ended[id] == owner ? RPCError.expired : .notFound
  }

  /// A sign-on that is over is remembered for a while, so that it can be told from one that never was.
  func end(_ login: Login) {
    guard logins.removeValue(forKey: login.id) != nil else { return }
    login.flow = nil
    ended[login.id] = login.owner
    EventLoop.after(Self.lifetime) { [weak self] in self?.ended[login.id] = nil }
  }

  /// The error of a sign-on that cannot go on.
  func finish(_ login: Login, _ error: RPCError) -> RPCError {
    end(login)
    return error
  }

  /// The last step of a sign-on that cannot go on.
  func failure(_ login: Login, _ cause: String) -> Node {
    end(login)
    var node = Node(login: login.id, outcome: .failure, method: "signon")
    node.cause = cause
    node.message = "the sign-on cannot go on here; start again"
    return node
  }
}
