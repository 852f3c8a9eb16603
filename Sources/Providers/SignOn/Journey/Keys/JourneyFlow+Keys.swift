internal import Accounts
internal import Approvals
internal import Configuration
internal import ControlAPI
internal import CourierProtocol
internal import EventLoop
internal import JSON
internal import JSONRPC
internal import Machine
internal import Vault
internal import WebAddress

extension JourneyFlow {
  /// The keys of this machine for the realm that is signed on to.
  func boundKeys() throws -> [BoundKey] {
    try login.parts.boundKeys.keys(at: server.authenticate.text, of: login.owner)
  }

  /// Does what the person decided, and goes on with the step.
  ///
  /// What is missing elsewhere in the step is asked for before a key is made or used.
  func decide(
    _ decision: KeyRequest.Decision,
    on request: KeyRequest,
    of step: JourneyStep,
    _ values: JSONObject
  ) async throws -> Step {
    if case .missing(let missing) = try step.reply(values) {
      return .wrong(step.page(login.call.locale, missing: missing))
    }
    try checkPresence(for: decision, on: request)
    switch decision {
    case .decline:
      record(request, nil, "DENIED")
      return try await take(try await send(step, ["clientError": "Abort"], values))
    case .bind:
      let known = madeKey
      let key = try await keyToBind(for: request)
      return try await use(key, for: request) {
        do { return try await introduce(key, request, step, values) } catch {
          // A key of which the server surely never heard goes; any other it is shown again, if the person decides again.
          if key.id != known?.id, !login.transport.mayHaveArrived {
            try login.parts.boundKeys.discard(key)
            madeKey = nil
          }
          throw error
        }
      }
    case .sign(let key):
      return try await use(key, for: request) {
        try await send(step, ["jws": try proof(request, by: key, introducesKey: false)], values)
      }
    }
  }

  /// A key is used, and one that wants that is made, only with its owner there.
  private func checkPresence(for decision: KeyRequest.Decision, on request: KeyRequest) throws {
    let wantsPresence: Bool
    switch decision {
    case .decline: return
    case .bind: wantsPresence = request.wantsPresence
    case .sign(let key): wantsPresence = key.wantsPresence
    }
    let presence = login.parts.approvals.presence
    try wantsPresence ? presence.check(of: login.owner) : presence.checkAlways(of: login.owner)
  }

  /// Goes on with what the server says to the use of a key, of which an entry is left.
  private func use(
    _ key: BoundKey,
    for request: KeyRequest,
    _ send: () async throws -> CourierResponse
  ) async throws -> Step {
    let response: JourneyResponse
    do { response = try JourneyResponse(try await send()) } catch {
      // What ends a sign-on has a name of its own.
      record(request, key, (error as? SignOnFailure)?.cause ?? RPCError(naming: error).reason)
      throw error
    }
    // Who asks for the same again has not taken it.
    let isAccepted = !response.asks(for: request.callbackType)
    record(request, key, isAccepted ? AuditEntry.done : "ASKED_AGAIN")
    if isAccepted { try login.parts.boundKeys.accept(key) }
    return try await take(response)
  }

  private func record(_ request: KeyRequest, _ key: BoundKey?, _ outcome: String) {
    login.parts.core.audit.record(
      "journey.\(request.purpose.rawValue)",
      target: key?.id,
      outcome: outcome,
      owner: login.owner
    )
  }

  /// The key that was made for the step, or a new one, which is on the disk before anything leaves this machine.
  private func keyToBind(for request: KeyRequest) async throws -> BoundKey {
    if let madeKey, try boundKeys().contains(where: { $0.id == madeKey.id }) { return madeKey }
    let key = try login.parts.boundKeys.make(
      for: request.user,
      named: request.userName,
      at: server.authenticate.text,
      wantsPresence: request.wantsPresence,
      owner: login.owner
    )
    try await login.parts.core.vault.committed()
    madeKey = key
    return key
  }

  /// Shows the server a new key.
  private func introduce(
    _ key: BoundKey,
    _ request: KeyRequest,
    _ step: JourneyStep,
    _ values: JSONObject
  ) async throws -> CourierResponse {
    let inputs = [
      "jws": try proof(request, by: key, introducesKey: true), "deviceName": MachineNames().host,
      // Servers bind nothing without one; a machine that has none is called by its key.
      "deviceId": try makeContext().device.identifier ?? key.id,
    ]
    return try await send(step, inputs, values)
  }

  private func proof(_ request: KeyRequest, by key: BoundKey, introducesKey: Bool) throws -> String {
    let challenge = KeyChallenge(
      request.challenge,
      issuer: login.configuration.applicationID,
      lifetime: request.lifetime
    )
    return try login.parts.boundKeys.proof(of: challenge, by: key, introducesKey: introducesKey)
  }

  private func send(_ step: JourneyStep, _ inputs: [String: String], _ values: JSONObject) async throws
    -> CourierResponse
  {
    guard case .body(let body) = try step.answeringKeyRequest(inputs).reply(values) else {
      throw RPCError.invalidParameter("values")
    }
    return try await post(body)
  }
}
