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

/// Runs sign-ons: begins them, answers their steps, and hands their ID token on to be paired with.
@EventLoop
public final class SignOnService {
  let directory: IssuerDirectory
  let parts: SignOnParts
  private var logins: [String: Login] = [:]
  private var ended: [String: uid_t] = [:]
  /// New tokens that are being fetched, by their session.
  let refreshes = SingleFlight<OwnedKey, Tokens>()
  /// What issuers are asked of their users.
  let inquiries = SingleFlight<OwnedKey, JSONObject>()

  private static let maximumPerOwner = 4
  /// Far more than a person answers in ten minutes; a server that never comes to an end is left.
  private static let maximumSteps = 500

  /// A service over a directory of issuers.
  public init(directory: IssuerDirectory, parts: SignOnParts) {
    (self.directory, self.parts) = (directory, parts)
    parts.core.owners.whenErased { [weak self] in self?.forget($0) }
  }

  /// Ends every sign-on of an owner that was erased, and remembers none of them.
  private func forget(_ owner: uid_t) {
    for login in logins.values where login.owner == owner { end(login) }
    ended = ended.filter { $0.value != owner }
    refreshes.cancelAll(of: owner)
    inquiries.cancelAll(of: owner)
  }

  /// Begins a sign-on and returns its first step.
  public func start(_ call: LoginStart, owner: uid_t) async throws -> Node {
    guard call.parameters.allSatisfy({ AuthorizationRequest.mayAdd($0.name) }) else {
      throw RPCError.invalidParameter("parameters")
    }
    if let orders = call.devices {
      // A journey enrols by callbacks of its own, and without a session nobody may manage anything.
      let isPossible = call.method != .journey || (orders.add.isEmpty && !call.wantsNoSession)
      guard orders.isReasonable, isPossible else { throw RPCError.invalidParameter("devices") }
    }
    guard let makeFlow = FlowTable.all[call.method] else { throw RPCError.invalidParameter("method") }
    try checkRoom(for: owner)
    let login = try await makeLogin(call, owner: owner)
    // Others may have begun meanwhile; from here to the insertion nothing waits.
    try checkRoom(for: owner)
    let flow = try makeFlow(login)
    login.flow = flow
    // From here it counts against the owner's limit, also while its first step is fetched.
    logins[login.id] = login
    // What is over is not held until its time would be up.
    parts.core.after(Login.lifetime) { [weak self, weak login] in
      if let login { self?.end(login) }
    }
    do { return try await advance(login) { try await flow.start() } } catch {
      // Nobody has heard of it.
      end(login)
      ended[login.id] = nil
      throw error
    }
  }

  /// Answers the step that a sign-on waits with, and returns the next.
  public func next(_ call: LoginNext, owner: uid_t) async throws -> Node {
    let login = try login(call.login, owner: owner)
    return try await advance(login) {
      try await login.answer(StepInput(values: call.values, action: call.action), $0)
    }
  }

  /// Goes on with a sign-on from an address that a person brings.
  public func resume(_ call: LoginResume, owner: uid_t) async throws -> Node {
    try await advance(login(call.login, owner: owner)) { try await $0.resume(call.address) }
  }

  /// Ends a sign-on that its person gives up.
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
        step = try await body(flow)
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
      if login.question == nil { login.page = page }
      return node(.next, page)
    case .wrong(let page):
      login.page = page
      return node(.error, page)
    case .failure(let failure):
      end(login)
      var node = node(.failure)
      (node.cause, node.page.message) = (failure.cause, failure.message)
      return node
    case .done(let tokens):
      // A code counts once: whatever happens from here, the sign-on is over.
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
    throw quota.saying("\(quota.message); the oldest ends within \(left.min() ?? 0) s")
  }

  private func login(_ id: String, owner: uid_t) throws -> Login {
    if let login = logins[id], login.owner == owner { return login }
    throw ended[id] == owner ? RPCError.expired : .noSuch("sign-on")
  }

  /// A sign-on that is over is remembered for a while, so that it can be told from one that never was.
  private func end(_ login: Login) {
    guard logins.removeValue(forKey: login.id) != nil else { return }
    login.end()
    ended[login.id] = login.owner
    parts.core.after(Login.lifetime) { [weak self, id = login.id] in self?.ended[id] = nil }
  }
}

extension SignOnService {
  /// Verifies the tokens of a sign-on, keeps them if that is wanted, and goes on to the pairing that they ask for.
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
      throw RPCError.issuerFailed.because(.malformed, at: login.transport.origin)
    }
    // They may be others than when the sign-on began.
    let issuers = try await acceptedIssuers(for: login.call, owner: login.owner)
    let token = try await directory.verify(
      text,
      issuers: issuers.filter { $0.hasSameBytes(as: client.issuer.issuer) },
      nonce: login.request?.nonce,
      accessToken: tokens.accessToken,
      owner: login.owner
    )
    guard !login.isOver else { throw RPCError.expired }
    node.user = token.user
    // Only what a payload was sent with can ask to pair.
    let asks = login.request?.carriesPayload ?? false
    node.pairing = .some(asks ? try await parts.platform.pairingRequest(token, login.owner) : nil)
    guard !login.isOver else { throw RPCError.expired }
    if let orders = login.call.devices {
      node.devices = await carryOut(orders, for: token, tokens, of: client, login)
    } else if login.keepsSession {
      try keep(tokens, of: token, login)
    }
  }

  /// Has the devices managed that the user signed on for; the tokens allow more than others do, and are not kept.
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

  /// Whoever finds such a token later finds it worthless, where the issuer lets tokens be revoked; also when the sign-on
  /// itself is over, after which its own way there is closed.
  private func revoke(_ tokens: Tokens, of client: OIDCClient) async {
    var client = client
    client.transport = client.transport.reopened()
    try? await client.revoke(tokens)
  }
}

extension RPCError {
  /// The issuer's address is none of PingOne's published ones, and the configuration names none for it.
  static let tenantUnknown = RPCError.originRefused.with(["key": "pingone_api"])
    .saying(
      "where this issuer's devices are managed is not known: pingone_api and pingone_environment tell it"
    )
}
