internal import Configuration
public import ControlAPI
public import EventLoop
public import Glibc
internal import JSON
internal import JSONRPC
public import OpenIDConnect
internal import Time
internal import UserDevices
internal import Vault
internal import WebAddress

/// Runs sign-ons: starts them, answers their steps, and passes their ID tokens to the platform for pairing.
@EventLoop
public final class SignOnService {
  let directory: IssuerDirectory
  let parts: SignOnParts
  private var logins: [String: Login] = [:]
  private var ended: [String: uid_t] = [:]
  /// Token refreshes in flight, by session.
  let refreshes = SingleFlight<OwnedKey, Tokens>()
  /// UserInfo requests in flight, by session.
  let inquiries = SingleFlight<OwnedKey, JSONObject>()

  private static let maximumPerOwner = 4
  /// Maximum number of steps of a sign-on, far more than a user answers in ten minutes.
  ///
  /// It ends a sign-on to which the server always adds another step.
  private static let maximumSteps = 500

  /// Creates a service that uses a directory of issuers.
  public init(directory: IssuerDirectory, parts: SignOnParts) {
    (self.directory, self.parts) = (directory, parts)
    parts.core.owners.whenErased { [weak self] in self?.forget($0) }
  }

  /// Ends the sign-ons of an erased owner, forgets their identifiers, and cancels requests in flight.
  private func forget(_ owner: uid_t) {
    for login in logins.values where login.owner == owner { end(login) }
    ended = ended.filter { $0.value != owner }
    refreshes.cancelAll(of: owner)
    inquiries.cancelAll(of: owner)
  }

  /// Starts a sign-on and returns its first step.
  public func start(_ call: LoginStart, owner: uid_t) async throws -> Node {
    guard call.parameters.allSatisfy({ AuthorizationRequest.mayAdd($0.name) }) else {
      throw RPCError.invalidParameter("parameters")
    }
    if let orders = call.devices {
      // A journey adds devices by its own callbacks only. To manage devices, it must end with a session.
      let isPossible = call.method != .journey || (orders.add.isEmpty && !call.wantsNoSession)
      guard orders.isReasonable, isPossible else { throw RPCError.invalidParameter("devices") }
    }
    guard let makeFlow = FlowTable.all[call.method] else { throw RPCError.invalidParameter("method") }
    try checkRoom(for: owner)
    let login = try await makeLogin(call, owner: owner)
    // Other calls may have started sign-ons during `makeLogin`. None can do so from here to the insertion.
    try checkRoom(for: owner)
    let flow = try makeFlow(login)
    login.flow = flow
    // The sign-on now counts against the owner's limit, even while its first step is fetched.
    logins[login.id] = login
    // The timer holds the sign-on weakly, so that an ended one is freed before its lifetime expires.
    parts.core.after(Login.lifetime) { [weak self, weak login] in
      if let login { self?.end(login) }
    }
    do {
      return try await advance(login) {
        try login.documents.count(.parameters, call.parametersSize)
        return try await flow.start()
      }
    } catch {
      // No client knows the identifier of this sign-on, so no later call can contain it.
      end(login)
      ended[login.id] = nil
      throw error
    }
  }

  /// Answers the current step of a sign-on and returns the next one.
  public func next(_ call: LoginNext, owner: uid_t) async throws -> Node {
    let login = try login(call.login, owner: owner)
    return try await advance(login) {
      try await login.answer(StepInput(values: call.values, action: call.action), $0)
    }
  }

  /// Continues a sign-on from an address that the user supplies.
  public func resume(_ call: LoginResume, owner: uid_t) async throws -> Node {
    try await advance(login(call.login, owner: owner)) { try await $0.resume(call.address) }
  }

  /// Ends a sign-on that the user cancels.
  public func cancel(_ id: String, owner: uid_t) throws {
    end(try login(id, owner: owner))
  }

  private func advance(
    _ login: Login,
    _ body: (any SignOnFlow) async throws -> Step
  ) async throws -> Node {
    guard await login.mutex.lock() else { throw RPCError.conflict }
    defer { login.mutex.unlock() }
    guard logins[login.id] === login, let flow = login.flow else { throw RPCError.expired }
    login.steps += 1
    let step: Step
    do {
      guard login.steps <= Self.maximumSteps else { throw SignOnFailure.tooManySteps }
      if let code = login.code {
        step = .done(try await login.exchange(code))
      } else {
        step = try login.keepPage(of: try await body(flow))
      }
    } catch let failure as SignOnFailure {
      step = .failure(failure)
    }
    guard logins[login.id] === login else { throw RPCError.expired }
    return try await node(step, of: login, method: flow.method)
  }

  private func advance(_ login: Login, _ body: () async throws -> Step) async throws -> Node {
    try await advance(login) { (_: any SignOnFlow) in try await body() }
  }

  private func node(_ step: Step, of login: Login, method: LoginMethod) async throws -> Node {
    func node(_ outcome: Node.Outcome, _ page: SignOnPage = SignOnPage()) -> Node {
      Node(login: login.id, outcome: outcome, method: method, issuer: login.receiver, page: page)
    }
    switch step {
    case .page(let page):
      return node(.next, page)
    case .wrong(let page):
      return node(.error, page)
    case .failure(let failure):
      end(login)
      if failure == .scopeRefused { throw RPCError.scopesRefused(login.refusableScopes) }
      var node = node(.failure)
      (node.cause, node.page.message) = (failure.cause, failure.message)
      return node
    case .done(let tokens):
      // The authorization code is used up, so the sign-on ends even if a later operation fails.
      defer { end(login) }
      var node = node(.success)
      try await complete(&node, login, tokens)
      return node
    case .managed(let user, let outcome):
      defer { end(login) }
      var node = node(.success)
      (node.user, node.pairing, node.devices) = (user, .some(nil), outcome)
      return node
    }
  }

  private func checkRoom(for owner: uid_t) throws {
    let left = logins.values.filter { $0.owner == owner }.map(\.secondsLeft)
    guard left.count >= Self.maximumPerOwner else { return }
    let quota = RPCError.quota(Self.maximumPerOwner, "sign-ons")
    throw quota.withMessage("\(quota.message); the oldest ends within \(left.min() ?? 0) s")
  }

  private func login(_ id: String, owner: uid_t) throws -> Login {
    if let login = logins[id], login.owner == owner { return login }
    throw ended[id] == owner ? RPCError.expired : .noSuch("sign-on")
  }

  /// Ends a sign-on.
  ///
  /// Its identifier is kept for another `Login.lifetime`, so that a late call gets the error `expired`.
  private func end(_ login: Login) {
    guard logins.removeValue(forKey: login.id) != nil else { return }
    login.end()
    ended[login.id] = login.owner
    parts.core.after(Login.lifetime) { [weak self, id = login.id] in self?.ended[id] = nil }
  }
}

extension SignOnService {
  /// Completes a sign-on with tokens: verifies the ID token and requests the pairing that it offers.
  ///
  /// Then carries out the requested device changes or, if sessions are kept, stores the tokens.
  private func complete(_ node: inout Node, _ login: Login, _ tokens: Tokens?) async throws {
    guard let tokens, let client = login.client else {
      node.pairing = .some(nil)
      return
    }
    do { try await finish(&node, login, tokens, client) } catch {
      if login.call.devices != nil { await revoke(tokens, of: client) }
      throw error
    }
  }

  private func finish(_ node: inout Node, _ login: Login, _ tokens: Tokens, _ client: OIDCClient) async throws
  {
    guard let text = tokens.idToken else {
      throw RPCError.issuerFailed.withCause(.malformed, at: login.transport.origin)
    }
    // The accepted issuers may have changed since the sign-on started.
    let issuers = try await acceptedIssuers(for: login.call, owner: login.owner)
    let token = try await directory.verify(
      text,
      issuers: issuers.filter { $0.hasSameBytes(as: client.issuer.issuer) },
      nonce: login.request?.nonce,
      accessToken: tokens.accessToken,
      isOwn: true,
      owner: login.owner
    )
    guard !login.isOver else { throw RPCError.expired }
    node.user = token.user
    // Only a request with a payload can lead to a pairing.
    let asks = login.request?.carriesPayload ?? false
    node.pairing = .some(asks ? try await parts.platform.pairingRequest(token, login.owner) : nil)
    guard !login.isOver else { throw RPCError.expired }
    if let orders = login.call.devices {
      node.devices = await carryOut(orders, for: token, tokens, of: client, login)
    } else if login.keepsSession {
      try keep(tokens, of: token, login)
    }
  }

  /// Carries out the requested device changes, then revokes the tokens: they have more scopes than usual.
  private func carryOut(
    _ orders: DeviceOrders,
    for token: IDToken,
    _ tokens: Tokens,
    of client: OIDCClient,
    _ login: Login
  ) async -> DeviceOutcome {
    guard let tenant = directory.configuration.tenant(of: client.issuer.issuer) else {
      return .failed(orders, .tenantUnknown)
    }
    let grant = TokenGrant(
      owner: login.owner,
      user: token.user,
      issuer: client.issuer.issuer,
      tenant: tenant,
      namedEnvironment: token.environment,
      accessToken: tokens.accessToken,
      scope: tokens.scope,
      asked: orders.scopes,
      isOver: { login.isOver }
    )
    let outcome = await parts.tokenDevices.carryOut(orders, grant).outcome
    await revoke(tokens, of: client)
    return outcome
  }

  /// Revokes tokens if the issuer supports it, so that a leaked token is useless; ignores errors.
  ///
  /// The transport of an ended sign-on is closed, so this uses a new transport.
  private func revoke(_ tokens: Tokens, of client: OIDCClient) async {
    var client = client
    client.transport = client.transport.reopened()
    try? await client.revoke(tokens)
  }
}

extension RPCError {
  /// The error if neither the issuer's URL nor the configuration determines a PingOne tenant.
  static let tenantUnknown = RPCError.originRefused.with(["key": "pingone_api"])
    .withMessage(
      "the device API of this issuer is unknown; configure pingone_api and pingone_environment"
    )
}
