internal import Accounts
internal import Approvals
internal import Configuration
internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import Machine
internal import Time
internal import Vault
internal import WebAddress

/// A sign-on through a journey of PingAM or PingOne Advanced Identity Cloud.
@EventLoop
final class JourneyFlow: SignOnFlow {
  let login: Login
  let server: JourneyServer
  private let journey: String
  private var step: JourneyStep? {
    get throws {
      guard let context, let document = login.documents.document(.step) else { return nil }
      var step = try JourneyStep(document, context)
      if isEnrolled { step.enrolment = nil }
      return step
    }
  }
  /// The context in which the step was read first.
  private var context: JourneyContext?
  /// True if the enrolment that the step offers has been carried out.
  private var isEnrolled = false
  /// The new key that was made for the current step; the server may or may not have received it.
  var madeKey: BoundKey?
  /// Earliest uptime of the next poll.
  private var nextQuestion = Duration.zero
  private var backOff = PollBackOff()
  /// The session of the completed journey; `nil` before, and if the journey ended without a session.
  private(set) var session: JourneySession?
  private var isOver = false

  let method = LoginMethod.journey

  init(_ login: Login) throws {
    guard let server = JourneyServer(login.configuration) else { throw RPCError.notConfigured }
    guard let journey = login.call.journey, !journey.isEmpty else {
      throw RPCError.invalidParameter("journey")
    }
    (self.login, self.server, self.journey) = (login, server, journey)
  }

  func start() async throws -> Step {
    let query = [("authIndexType", "service"), ("authIndexValue", journey)]
    guard let kept = try keptSession() else { return try await take(try await post(query: query)) }
    var response = try await post(query: query, session: kept.content)
    if (400..<500).contains(response.status) {
      // The server rejects the session, so the journey starts without it.
      try login.parts.sessions.forget(kept.session, owner: login.owner)
      response = try await post(query: query)
    }
    return try await take(response)
  }

  func next(_ input: StepInput) async throws -> Step {
    if isOver { return try await complete() }
    if input.action == nil, input.values.isEmpty, let wait = try self.step?.wait, await !self.wait(wait) {
      return .page(try page())
    }
    switch try move(for: input) {
    case .missing(let page): return .wrong(page)
    case .enrol(let uri, let step): return .page(try await enrol(by: uri, step, input.values))
    case .decide(let decision, let request, let step):
      return try await decide(decision, on: request, of: step, input.values)
    case .post(let body, let isPoll):
      let response = try await post(body)
      if isPoll, backOff.postpones(after: response, login.time) { return .page(try page()) }
      return try await take(response)
    }
  }

  /// The reaction to an input; without the step, which is not in memory while the server does not respond.
  private enum Move {
    case missing(SignOnPage)
    case enrol(String, JourneyStep)
    case decide(KeyRequest.Decision, KeyRequest, JourneyStep)
    case post([UInt8], isPoll: Bool)
  }

  private func move(for input: StepInput) throws -> Move {
    guard let step = try self.step else { throw RPCError.conflict }
    if input.action == JourneyStep.enrol, let uri = step.enrolment { return .enrol(uri, step) }
    if let request = step.keyRequest, let decision = request.decision(input.action) {
      return .decide(decision, request, step)
    }
    let submit = step.wait == nil && step.keyRequest == nil ? JourneyStep.submit : nil
    guard input.action == nil || input.action == submit else { throw RPCError.invalidParameter("action") }
    // The user must decide on a key request explicitly, by an action.
    guard input.action != nil || submit != nil || step.wait != nil else {
      throw RPCError.invalidParameter("action", hasToBe: "one of the step's actions")
    }
    switch try step.reply(input.values) {
    case .missing(let missing): return .missing(step.page(login.call.locale, missing: missing))
    case .body(let body):
      return .post(body.serialized, isPoll: step.wait != nil && input.values.isEmpty)
    }
  }

  private func page() throws -> SignOnPage {
    // A sign-on that ended meanwhile has no documents.
    guard let step = try self.step else { throw RPCError.expired }
    return step.page(login.call.locale)
  }

  func resume(_ address: String) async throws -> Step {
    guard let step = try self.step, !isOver else { throw RPCError.conflict }
    let parameters = try JourneyReturn(address, server: server, redirectURI: login.configuration.redirectURI)
    guard parameters.isSuspension else {
      guard case .body(let body) = try step.reply([:]) else { throw RPCError.conflict }
      return try await take(try await post(body.serialized, query: parameters.query))
    }
    return try await take(try await post(query: parameters.query))
  }

  /// Enrols this machine after the user has chosen it; the journey learns the result from its server.
  private func enrol(by uri: String, _ step: JourneyStep, _ values: JSONObject) async throws -> SignOnPage {
    guard values.isEmpty else { throw RPCError.invalidParameter("values") }
    // An enrolment within a journey writes the same audit entry as any other.
    _ = try await login.parts.core.audit.following(
      AccountEnrol.name,
      owner: login.owner,
      target: { (enrolled: Result<Account, RPCError>) in try? enrolled.get().id }
    ) { try await login.parts.enrolments.enrol(uri, owner: login.owner) }
    var step = step
    step.enrolment = nil
    isEnrolled = true
    return step.page(login.call.locale)
  }

  /// Waits until the step can continue; returns `false` if the client must wait longer.
  ///
  /// The step is not in memory meanwhile, because no budget counts a parsed step.
  private func wait(_ wait: CallbackForm.Wait) async -> Bool {
    guard case .time = wait else {
      _ = await login.mutex.wait(for: AsyncMutex.longestWait)
      return false
    }
    let rest = max(nextQuestion - login.time.uptime(), backOff.rest(login.time))
    guard rest > .zero else { return true }
    return await login.mutex.wait(for: min(rest, AsyncMutex.longestWait)) && rest <= AsyncMutex.longestWait
  }

  func post(
    _ body: [UInt8] = JourneyServer.noAnswers,
    query: [(String, String)] = [],
    session: JourneySession? = nil
  ) async throws -> CourierResponse {
    var query = query
    // The request that started a suspended journey contained `ForceAuth`. This request only resumes it.
    let isSuspension = query.contains { $0.0 == JourneyReturn.suspension }
    if login.call.forcesAuthentication, !isSuspension { query.append(("ForceAuth", "true")) }
    // The server reads `noSession` from the last request only. Any request may be the last.
    if login.call.wantsNoSession { query.append(("noSession", "true")) }
    guard let url = server.authenticate.appending(query: query) else {
      throw RPCError.invalidParameter("journey")
    }
    var headers = JourneyServer.headers
    if let session { headers.append(server.header(for: session)) }
    return try await login.transport.send(.post, url, headers: headers, body: body)
  }

  func take(_ response: CourierResponse) async throws -> Step { try await take(JourneyResponse(response)) }

  func take(_ response: JourneyResponse) async throws -> Step {
    switch response {
    case .step(let document):
      // Bound keys are read from the vault only if the step requests a signature.
      let keys = response.asks(for: "DeviceSigningVerifierCallback") ? try boundKeys() : []
      let context = try makeContext(keys)
      let step = try JourneyStep(document, context)
      try login.documents.keep(.step, document.serialized)
      (self.context, isEnrolled, madeKey) = (context, false, nil)
      if case .time(let time) = step.wait { nextQuestion = login.time.uptime() + time }
      return .page(step.page(login.call.locale))
    case .done(let session):
      (self.session, isOver) = (session, true)
      return try await complete()
    }
  }

  /// Completes a journey; if a server is unreachable, the client can retry with `next`.
  private func complete() async throws -> Step {
    if let orders = login.call.devices { return await manage(orders) }
    guard let session, !login.call.wantsNoSession else { return .done(nil) }
    return try await finish(session)
  }

  func makeContext(_ keys: [BoundKey] = []) throws -> JourneyContext {
    JourneyContext(
      device: try DeviceProfile(
        posture: login.parts.posture(),
        for: login.transport.origin,
        of: login.owner,
        machineID: MachineNames().installation
      ),
      allowsLoopbackHTTP: login.configuration.allowsLoopbackHTTP,
      server: login.transport.origin.text,
      keys: keys,
      verifiesPresence: try !login.parts.approvals.presence.methods(of: login.owner).isEmpty
    )
  }
}
