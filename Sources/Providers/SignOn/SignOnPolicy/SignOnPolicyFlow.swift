internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import Text
internal import Time
internal import WebAddress

/// A sign-on through the steps of a PingOne sign-on policy.
@EventLoop
final class SignOnPolicyFlow: StepPlayer {
  private let login: Login
  private var step: PolicyStep? {
    get throws {
      try login.documents.document(.step).map { try PolicyStep($0, origin: login.transport.origin) }
    }
  }
  /// The action that the user chose and that still requires input.
  private var chosen: PolicyAction?
  /// The username that the user entered for `user.lookup`; the password step requires it again.
  private var username: JSON? { login.documents.document(.username) }
  /// This machine, if it can answer the step.
  private var ownDevice: OwnDevice?
  /// True if the user chose this machine and its push has not arrived yet.
  private var wantsOwnDevice = false
  /// The question about a push, until the user answers it.
  private var question: PushQuestion?
  private var backOff = PollBackOff()

  private static let pollInterval = Duration.seconds(2)
  /// Errors that the user can correct with another number.
  private static let numberErrors = [RPCError.numberRequired.code, RPCError.numberMismatch.code]
  private static let severalPushes = "several requests wait for an answer; approve the one that you began"

  init(_ login: Login) { self.login = login }

  var method: LoginMethod { .signon }

  /// Processes a response of the flows API.
  func take(_ response: CourierResponse) async throws -> Step {
    if (300..<400).contains(response.status) { throw SignOnFailure.redirected }
    if response.status >= 500 { throw SignOnFailure.serverError }
    let document = try response.document
    if response.status == 400, let step = try self.step, let message = PolicyStep.wrongInput(document) {
      return .wrong(try wrong(step, message, document))
    }
    guard response.status == 200 else { throw Self.refusal(document) }
    let step = try PolicyStep(document, origin: login.transport.origin)
    try login.documents.keep(.step, document.serialized)
    (chosen, ownDevice, wantsOwnDevice, question) = (nil, nil, false, nil)
    if step.isCompleted { return try await complete(at: step.resume) }
    if step.status == "FAILED" { throw Self.refusal(step.error) }
    ownDevice = try OwnDevice(to: step, of: login)
    return .page(try page(step))
  }

  /// Returns the failure for the server's error: its message or, without one, its code.
  private static func refusal(_ error: JSON?) -> SignOnFailure {
    let code = error?["code"]?.string
    return .refused((error?["message"]?.string ?? code).map { DisplayText.clean($0) }, code: code)
  }

  func next(_ input: StepInput) async throws -> Step {
    switch try move(for: input) {
    case .show(let page): return .page(page)
    case .ask(let question): return try login.ask(question)
    case .complete(let resume): return try await complete(at: resume)
    case .decide(let decision, let question, let ownDevice):
      return try await carryOut(decision, on: question, ownDevice)
    case .poll: return try await poll()
    case .post(let name, let url, let body):
      let type = CourierHeader("Content-Type", "application/vnd.pingidentity.\(name)+json")
      return try await take(
        try await login.transport.send(.post, url, headers: PiFlow.headers + [type], body: body)
      )
    }
  }

  /// The reaction to an input, without the step, which is not in memory while the flow waits.
  private enum Move {
    case show(SignOnPage)
    case ask(PasscodeQuestion)
    case complete(WebURL?)
    case decide(PushQuestion.Decision, PushQuestion, OwnDevice)
    case poll
    case post(action: String, WebURL, [UInt8])
  }

  private func move(for input: StepInput) throws -> Move {
    guard let step = try self.step else { throw RPCError.conflict }
    // An earlier call failed to fetch the code of the completed flow.
    if step.isCompleted { return .complete(step.resume) }
    if let ownDevice {
      if let question, let decision = try question.decision(input) {
        return .decide(decision, question, ownDevice)
      }
      if input.action == ownDevice.action.key {
        if let question = ownDevice.passcodeQuestion() { return .ask(question) }
        (wantsOwnDevice, question) = (true, nil)
        return .poll
      }
    }
    if input.action == nil, chosen == nil, step.waitsForPush { return .poll }
    guard let action = action(input.action, of: step), let url = step.links[action.name] else {
      throw RPCError.invalidParameter("action")
    }
    let collectors = filled(action.collectors(step), at: step)
    if action.name != (chosen ?? step.submit)?.name, input.values.isEmpty,
      collectors.contains(where: \.isRequired)
    {
      (chosen, question) = (action, nil)
      return .show(try page(step))
    }
    let values = try PolicyStep.values(input.values, for: collectors)
    if action.name == "user.lookup" { try login.documents.keep(.username, values["username"]?.serialized) }
    return .post(action: action.name, url, action.body(values).serialized)
  }

  private func action(_ name: String?, of step: PolicyStep) -> PolicyAction? {
    guard let name else { return chosen ?? step.submit }
    return step.actions.first { $0.name == name }
  }

  private func page(_ step: PolicyStep, message: String? = nil) throws -> SignOnPage {
    var page = try step.page(choosing: chosen)
    if let message { page.message = message }
    page.collectors = filled(page.collectors, at: step)
    if let ownDevice { page.actions.append(ownDevice.action) }
    return page
  }

  /// Returns the page after a wait; a sign-on that ended meanwhile has no step.
  private func page(message: String? = nil) throws -> SignOnPage {
    guard let step = try self.step else { throw RPCError.expired }
    return try page(step, message: message)
  }

  /// Fills in the username if the user entered it in this sign-on.
  ///
  /// Otherwise omits it from a password step, because the server knows it.
  private func filled(_ collectors: [Collector], at step: PolicyStep) -> [Collector] {
    collectors.compactMap { collector in
      guard collector.key == "username" else { return collector }
      if username == nil, step.status == "PASSWORD_REQUIRED" { return nil }
      var collector = collector
      collector.value = username
      return collector
    }
  }

  private func wrong(_ step: PolicyStep, _ message: String, _ document: JSON) throws -> SignOnPage {
    var page = try page(step)
    page.message = message
    for detail in document["details"]?.array ?? [] {
      guard let target = detail["target"]?.string, !["username", "password"].contains(target),
        let index = page.collectors.firstIndex(where: { $0.key == target })
      else { continue }
      page.collectors[index].message = detail["message"]?.string.map { DisplayText.clean($0) }
    }
    return page
  }

  /// Polls until the step has been answered on a device, for about `AsyncMutex.longestWait`.
  private func poll() async throws -> Step {
    guard let status = try step?.status, let url = try step?.links["self"] else {
      throw SignOnFailure.malformed
    }
    let end = login.time.uptime() + AsyncMutex.longestWait
    while login.time.uptime() < end {
      if wantsOwnDevice, let ownDevice {
        let pushes = try ownDevice.pushes()
        // The user decides here only if exactly one request is pending.
        wantsOwnDevice = pushes.isEmpty
        if pushes.count > 1 { return .page(try page(message: Self.severalPushes)) }
        if let push = pushes.first {
          let question = try ownDevice.question(about: push)
          self.question = question
          return .page(question.page())
        }
      }
      guard await login.mutex.wait(for: Self.pollInterval) else { break }
      guard backOff.rest(login.time) == .zero else { continue }
      let response = try await login.transport.send(.get, url, headers: PiFlow.headers)
      if backOff.postpones(after: response, login.time) { continue }
      guard response.status == 200, try response.document["status"] == .string(status) else {
        return try await take(response)
      }
    }
    return .page(try question?.page() ?? page())
  }

  /// Carries out the user's decision on a push, then polls for the next step.
  private func carryOut(
    _ decision: PushQuestion.Decision,
    on question: PushQuestion,
    _ ownDevice: OwnDevice
  ) async throws -> Step {
    do { try await ownDevice.carryOut(decision, on: question.push.id) } catch let error as RPCError {
      switch try ownDevice.state(of: question.push.id) {
      case .pending where Self.numberErrors.contains(error.code):
        return .wrong(question.page(message: error.message))
      case .pending, .sending: throw error
      // The request has ended; the server reports the result.
      case .approved, .denied, .expired, .cancelled: break
      }
    }
    self.question = nil
    return try await poll()
  }

  /// Fetches the authorization code of a completed flow and exchanges it for tokens.
  private func complete(at resume: WebURL?) async throws -> Step {
    guard let url = resume else { throw SignOnFailure.malformed }
    let response = try await login.transport.send(.get, url, headers: PiFlow.headers)
    if (300..<400).contains(response.status) { throw SignOnFailure.redirected }
    guard response.status == 200 else { throw SignOnFailure.serverError }
    let document = try response.document
    return try await login.tokens(for: document["authorizeResponse"] ?? document)
  }
}
