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
  /// Returns the keys of this machine for the realm of this sign-on.
  func boundKeys() throws -> [BoundKey] {
    try login.parts.boundKeys.keys(at: server.authenticate.text, of: login.owner)
  }

  /// Carries out the user's decision and continues with the step.
  ///
  /// If required input of the step is missing, requests it first, and neither makes nor uses a key.
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
          // A new key that the server cannot have received is removed. Any other key stays in `madeKey`
          // and is sent again if the user repeats the decision.
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

  /// Requires verified user presence if the key requires it, or if the owner's presence requirement is `all`.
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

  /// Sends a new key or a signature, writes an audit entry, and continues with the response.
  private func use(
    _ key: BoundKey,
    for request: KeyRequest,
    _ send: () async throws -> CourierResponse
  ) async throws -> Step {
    let response: JourneyResponse
    do { response = try JourneyResponse(try await send()) } catch {
      // The outcome in the entry is the cause of a `SignOnFailure` or the reason of another error.
      record(request, key, (error as? SignOnFailure)?.cause ?? RPCError(naming: error).reason)
      throw error
    }
    // A server that sends the same kind of callback again has not accepted the key.
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

  /// Returns the key made for the step, or a new one, which is committed to disk before it is sent.
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

  /// Sends a new key to the server.
  private func introduce(
    _ key: BoundKey,
    _ request: KeyRequest,
    _ step: JourneyStep,
    _ values: JSONObject
  ) async throws -> CourierResponse {
    let inputs = [
      "jws": try proof(request, by: key, introducesKey: true), "deviceName": MachineNames().host,
      // Servers require a device identifier. A machine without one sends the identifier of the key.
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
    return try await post(body.serialized)
  }
}
