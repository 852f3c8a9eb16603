internal import Configuration
internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import Journal
internal import Vault
internal import WebAddress

/// A sign-on through the pages of a DaVinci flow.
@EventLoop
final class DaVinciFlow: StepPlayer {
  let login: Login

  /// The page to be answered.
  private var page: DaVinciPage? {
    get throws {
      try login.documents.document(.step).map {
        try DaVinciPage(
          $0,
          origin: login.transport.origin,
          allowsLoopbackHTTP: login.configuration.allowsLoopbackHTTP
        )
      }
    }
  }
  /// The part of the page that replies and polls need; the page takes memory that no budget counts.
  private var target: DaVinciPage.Target {
    get throws {
      guard let target = try page?.target else { throw RPCError.conflict }
      return target
    }
  }
  /// State of the page's polling, if it polls.
  private var waiting: DaVinciWaiting?
  private var backOff = PollBackOff()
  /// URL for the browser, after the user chose to sign on with another provider.
  private var provider: String?
  /// Replies after successful pairings, by field key.
  ///
  /// A pairing key can be used only once, so a retry sends the stored reply and does not pair again.
  private var paired: [String: JSON] = [:]
  /// Values that identify the sign-on to the server, in addition to cookies.
  private var interaction = Interaction()

  private struct Interaction {
    var id: String?
    var token: String?
  }

  private static let longestHeader = 8192

  init(_ login: Login) { self.login = login }

  var method: LoginMethod { .davinci }

  /// Processes a response of the server.
  func take(_ response: CourierResponse) async throws -> Step { try await settle(try read(response)) }

  /// Reads a response of the server.
  private func read(_ response: CourierResponse) throws -> DaVinciResponse {
    if (300..<400).contains(response.status) { throw SignOnFailure.redirected }
    if response.status >= 500 { throw SignOnFailure.serverError }
    let document = try response.document
    let read = try DaVinciResponse(
      status: response.status,
      document,
      origin: login.transport.origin,
      allowsLoopbackHTTP: login.configuration.allowsLoopbackHTTP
    )
    if let id = try Self.header(document["interactionId"]) { interaction.id = id }
    if let token = try Self.header(document["interactionToken"]) { interaction.token = token }
    if case .page = read { try login.documents.keep(.step, document.serialized) }
    return read
  }

  /// Returns a text that every further request contains as a header; throws if it is too long to be kept.
  private static func header(_ json: JSON?) throws(SignOnFailure) -> String? {
    guard let text = json?.string else { return nil }
    guard text.utf8.count <= longestHeader else { throw .malformed }
    return text
  }

  /// Returns the step that follows from a response.
  private func settle(_ response: DaVinciResponse) async throws -> Step {
    switch response {
    case .page(let page):
      (waiting, provider, paired) = (page.polling.map { DaVinciWaiting($0) }, nil, [:])
      return .page(shown(page))
    case .again:
      guard let page = try self.page else { throw SignOnFailure.malformed }
      return .page(shown(page))
    case .wrong(let problem):
      // There is no earlier page on which the user could correct the input.
      guard let page = try self.page else { throw SignOnFailure.refused(problem.message) }
      return .wrong(page.shown(problem))
    case .done(let response):
      guard let response else { throw SignOnFailure.noCode }
      return try await login.tokens(for: response)
    }
  }

  func next(_ input: StepInput) async throws -> Step {
    do {
      if let action = try action(for: input) { return try await action.run(self, input) }
      if input.action == nil, input.values.isEmpty, waiting != nil { return try await wait() }
      return try await submit(input, button: nil)
    } catch let problem as DaVinciProblem {
      guard let page = try self.page else { throw RPCError.conflict }
      return .wrong(page.shown(problem))
    }
  }

  /// Returns the action that the input chooses; `nil` if it chooses none, or only waits.
  private func action(for input: StepInput) throws -> FieldAction? {
    guard let page = try self.page else { throw RPCError.conflict }
    try page.check(input.values)
    let actions = page.actions
    if let key = input.action {
      guard let action = actions.first(where: { $0.action.key == key }) else {
        throw RPCError.invalidParameter("action")
      }
      return action
    }
    if input.values.isEmpty, waiting != nil { return nil }
    // A page with only a security key has no input that could be submitted.
    let only = page.onlyAsksForSecurityKey ? actions.first : nil
    return actions.first { $0.action.kind == .submit } ?? only
  }

  /// Continues after a sign-on with another provider, from the final address of the browser.
  func resume(_ address: String) async throws -> Step {
    guard let url = try self.page?.resume else { throw RPCError.conflict }
    guard let token = Self.continueToken(in: address) else { throw RPCError.invalidParameter("uri") }
    let authorization = CourierHeader("Authorization", "Bearer \(token)")
    return try await take(try await post(JSON.object([:]), to: url, headers: [authorization]))
  }

  /// Sends a reply to the page and continues with the response.
  private func send(_ reply: DaVinciReply) async throws -> Step {
    try await take(try await post(reply, to: try target))
  }

  /// Sends a reply to a page and returns the response with any status.
  private func post(_ reply: DaVinciReply, to page: DaVinciPage.Target) async throws -> CourierResponse {
    try await post(reply.body(to: page, interaction: interaction.id), to: page.next)
  }

  /// Sends a document with the interaction's headers, which identify the sign-on.
  private func post(_ body: JSON, to url: WebURL, headers: [CourierHeader] = []) async throws
    -> CourierResponse
  {
    var headers = PiFlow.headers + [CourierHeader("Content-Type", "application/json")] + headers
    if let id = interaction.id { headers.append(CourierHeader("interactionId", id)) }
    if let token = interaction.token { headers.append(CourierHeader("interactionToken", token)) }
    return try await login.transport.send(.post, url, headers: headers, body: body.serialized)
  }

  /// Shows the URL at which a browser signs on with another provider.
  func show(_ address: String, _ input: StepInput) throws -> Step {
    guard let page = try self.page else { throw RPCError.conflict }
    guard input.values.isEmpty else { throw RPCError.invalidParameter("values") }
    provider = address
    return .page(shown(page))
  }

  /// Returns the page for users, with the URL for the browser, if any.
  private func shown(_ page: DaVinciPage) -> SignOnPage {
    var shown = page.shown
    shown.browserURL = provider ?? page.onlyProvider
    return shown
  }

  /// Returns the token in an address; does not check its host, which the other provider chooses.
  private static func continueToken(in address: String) -> String? {
    let parameters = RedirectAddress(pasted: address)?.parameters
    let token = parameters?.first { $0.0 == "continueToken" }?.1 ?? ""
    // A line break in the token would end the header that contains it.
    guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    return token
  }
}

extension DaVinciFlow {
  /// Polls for about `AsyncMutex.longestWait`; returns the same page if nothing happens.
  private func wait() async throws -> Step {
    let target = try target
    var waited = Duration.zero
    while var state = waiting {
      let interval = state.outcome == nil ? state.polling.interval : .zero
      let pause = max(interval, backOff.rest(login.time))
      if pause > .zero {
        guard waited == .zero || waited + pause <= AsyncMutex.longestWait,
          await login.mutex.wait(for: min(pause, AsyncMutex.longestWait)), pause <= AsyncMutex.longestWait
        else { break }
        waited += pause
      }
      if state.outcome == nil {
        let outcome = try await look(target, state.polling)
        if let outcome { state.found(outcome) } else { state.missed() }
        waiting = state
      }
      guard let outcome = state.outcome else { continue }
      let data = JSONObject([(state.polling.key, JSON.string(outcome))])
      let reply = DaVinciReply(event: .polling, formData: data)
      let response = try await post(reply, to: target)
      // The outcome is kept, and is sent again later.
      if backOff.postpones(after: response, login.time) { continue }
      let heard = try read(response)
      waiting?.begin()
      guard case .again = heard else { return try await settle(heard) }
      guard outcome != DaVinciWaiting.timedOut else {
        throw SignOnFailure("TIMED_OUT", "nobody answered in time")
      }
      if state.polling.challenge == nil { waiting?.missed() }
    }
    // A sign-on that ended meanwhile has no documents.
    guard let page = try self.page else { throw RPCError.expired }
    return .page(shown(page))
  }

  /// Polls once and returns the outcome; `nil` if nothing has happened.
  private func look(_ page: DaVinciPage.Target, _ polling: DaVinciPolling) async throws -> String? {
    // Without a challenge, the reply to the page is itself the poll.
    guard let challenge = polling.challenge else { return "continue" }
    guard let url = page.challenges?.appending(path: "/\(challenge)/status"), Self.isPlain(challenge) else {
      throw SignOnFailure.malformed
    }
    let response = try await post(JSON.object([:]), to: url)
    return backOff.postpones(after: response, login.time) ? nil : ChallengeStatus.outcome(of: response)
  }

  /// True if a challenge, inserted into a URL's path, is exactly one segment.
  private static func isPlain(_ challenge: String) -> Bool {
    ![".", ".."].contains(challenge)
      && challenge.utf8.allSatisfy { byte in
        let character = Character(Unicode.Scalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber || "-_~.=".contains(character))
      }
  }
}

// Actions of fields.

extension DaVinciFlow {
  /// Submits the form, with the key of the button if the user pressed one.
  func submit(_ input: StepInput, button: String?) async throws -> Step {
    try await send(try submission(of: input, button: button))
  }

  private func submission(of input: StepInput, button: String?) throws -> DaVinciReply {
    guard let page = try self.page else { throw RPCError.conflict }
    let data = try page.formData(input.values)
    if button == nil, let key = page.actionKey(of: input.values) {
      return DaVinciReply(event: .action, actionKey: key, formData: data)
    }
    return DaVinciReply(event: .submit, actionKey: button, formData: data)
  }

  /// Leaves the form by a button that does not submit it; sends the input so far.
  func leave(_ input: StepInput, button: String) async throws -> Step {
    guard let data = try self.page?.partialFormData(input.values) else { throw RPCError.conflict }
    return try await send(DaVinciReply(event: .action, actionKey: button, formData: data))
  }

  /// Reports that security keys are not supported, with the error name that a browser uses.
  func refuseKey() async throws -> Step {
    try await send(DaVinciReply(event: .action, actionKey: "NotSupportedError", formData: nil))
  }

  /// Pairs this machine with the user and sends the success or the error to the flow.
  func pair(_ key: String, field: String) async throws -> Step {
    let reply: JSON
    if let earlier = paired[field] {
      reply = earlier
    } else {
      do {
        // A pairing within a flow writes the same audit entry as any other.
        _ = try await login.parts.core.audit.following(
          PairingPair.name,
          owner: login.owner,
          target: { (paired: Result<PairingInfo, RPCError>) in try? paired.get().account }
        ) { try await login.parts.platform.pair(key, login.owner) }
        reply = PairingReply.claimed
        paired[field] = reply
      } catch {
        Journal.warning("pairing by a sign-on failed", ["uid": login.owner])
        reply = PairingReply.reply(to: error)
      }
    }
    return try await send(DaVinciReply(event: .action, formData: JSONObject([(field, reply)])))
  }

  /// Declines to pair this machine.
  func declinePairing(field: String) async throws -> Step {
    let data = JSONObject([(field, PairingReply.declined)])
    return try await send(DaVinciReply(event: .action, formData: data))
  }
}
