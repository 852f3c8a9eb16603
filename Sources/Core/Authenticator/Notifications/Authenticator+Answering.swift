package import ControlAPI
internal import EventLoop
package import Glibc
internal import Configuration
internal import JOSE
internal import JSON
internal import JSONRPC
internal import Journal
internal import OpenSSL
internal import Time

extension Authenticator {
  private static let shortestBackOff = Duration.seconds(1)
  private static let longestBackOff = Duration.seconds(30)

  /// Approves a push, with the number if it wants one.
  package func approve(
    _ id: String,
    method: String,
    number: Int?,
    owner: uid_t
  ) async throws -> NotificationAnswer {
    let decision = Decision(isApproval: true, method: method, number: number, reason: nil, at: time.now())
    return try await answer(id, decision, owner: owner)
  }

  package func deny(_ id: String, reason: String, owner: uid_t) async throws -> NotificationAnswer {
    let decision = Decision(isApproval: false, method: nil, number: nil, reason: reason, at: time.now())
    return try await answer(id, decision, owner: owner)
  }

  /// Decides, which is on the disk before the platform hears of it, and hands the decision in.
  func answer(_ id: String, _ decision: Decision, owner: uid_t) async throws -> NotificationAnswer {
    guard let record = try store.notification(id, of: owner) else { throw RPCError.notFound }
    try checkAnswerable(record, decision)
    try checkNumber(record, decision)
    if record.state == .pending {
      guard try store.decide(id, of: owner, decision) else {
        throw RPCError.alreadyAnswered(state: "sending")
      }
      announce(id, of: owner)
    }
    return try await settle(record, decision: record.decision ?? decision)
  }

  /// An open push may be answered; one that is on its way only as it was decided.
  private func checkAnswerable(_ record: NotificationRecord, _ decision: Decision) throws {
    switch record.state {
    case .pending, .sending:
      guard !isExpired(record) else { throw RPCError.pushTimeout }
      guard record.decision?.agrees(with: decision) ?? true else {
        throw RPCError.alreadyAnswered(state: record.state.rawValue)
      }
    case .expired: throw RPCError.pushTimeout
    case .cancelled: throw RPCError.cancelled
    case .approved, .denied: throw RPCError.alreadyAnswered(state: record.state.rawValue)
    }
  }

  /// An approval brings a number exactly where the push wants one.
  ///
  /// Whoever brings one for a push that wants none looks at another sign-on than the push is about.
  private func checkNumber(_ record: NotificationRecord, _ decision: Decision) throws {
    guard decision.isApproval else { return }
    if record.content.numberMatching != nil {
      guard decision.number != nil else { throw RPCError.numberRequired }
    } else {
      guard !configuration.requiresNumber || record.kind == .done else { throw RPCError.numberRequired }
      guard decision.number == nil else { throw RPCError.invalidParameter("number") }
    }
  }

  /// Waits for the platform's word on a decision; those who ask twice wait for the same delivery.
  private func settle(_ record: NotificationRecord, decision: Decision) async throws -> NotificationAnswer {
    let delivery = deliveries[record.id] ?? startDelivery(record, decision)
    return try answer(of: record, with: try await delivery.value)
  }

  /// What the owner hears of the platform's word.
  func answer(of record: NotificationRecord, with outcome: AnswerOutcome) throws
    -> NotificationAnswer
  {
    switch outcome {
    case .accepted(let information, let lock):
      let notification = try notification(record.id, owner: record.owner)
      // The pairing ended while the answer was on its way.
      guard notification.state != .cancelled else { throw RPCError.cancelled }
      return NotificationAnswer(notification, confirmationInfo: information, lock: lock)
    case .locked(let lock): throw RPCError.accountLocked(lock)
    case .settled(.expired): throw RPCError.pushTimeout
    case .settled(.cancelled): throw RPCError.cancelled
    case .settled(let status): throw RPCError.alreadyAnswered(state: status.rawValue)
    case .wrongNumber(let left, let lock):
      var details: JSONObject = ["triesLeft": .int(left)]
      details["lock"] = lock?.json
      throw RPCError.numberMismatch.with(details)
    }
  }

  func startDelivery(_ record: NotificationRecord, _ decision: Decision) -> Task<
    AnswerOutcome, any Error
  > {
    let task = EventLoop.task { [self] in
      defer {
        deliveries[record.id] = nil
        // The time may have run out meanwhile; what the platform said stands.
        if isExpired(record) { end(record.id, of: record.owner) }
      }
      do {
        let outcome = try await deliver(record, decision)
        backOffs[record.id] = nil
        return outcome
      } catch {
        switch error {
        case PlatformError.refused, PlatformError.deviceUnknown:
          // The platform did not take it, so nothing was decided.
          try withdraw(record)
          backOffs[record.id] = nil
          announce(record.id, of: record.owner)
        default: repeatDelivery(record)
        }
        throw error
      }
    }
    deliveries[record.id] = task
    return task
  }

  private func deliver(_ record: NotificationRecord, _ decision: Decision) async throws -> AnswerOutcome {
    guard let identity = try identity(record.identity) else { throw RPCError.notFound }
    let claims = claims(decision, of: record)
    let outcome = try await ask(identity) {
      try await $0.answer(
        identity,
        push: record.push,
        decision: identity.signDecision(claims),
        posture: posture()
      )
    }
    try conclude(record, decision, outcome)
    return outcome
  }

  /// Stores what became of a decision.
  private func conclude(_ record: NotificationRecord, _ decision: Decision, _ outcome: AnswerOutcome) throws {
    switch outcome {
    case .accepted(_, let lock):
      try store.transaction { _ in
        _ = try store.moveNotification(
          record.id,
          from: .sending,
          to: decision.isApproval ? .approved : .denied
        )
        // An answer that counts comes from an account that was open.
        try setLock(lock, on: record.account, of: record.owner)
      }
      if record.kind == .done { Journal.info("a silent push was answered", ["uid": record.owner]) }
    case .locked(let lock):
      try store.transaction { _ in
        try withdraw(record)
        try setLock(lock, on: record.account, of: record.owner)
      }
    case .wrongNumber(let left, _) where left > 0: try withdraw(record)
    case .settled(.pending): try withdraw(record)
    case .wrongNumber(_, let lock):
      try store.transaction { _ in
        _ = try store.moveNotification(record.id, from: .sending, to: .denied)
        if let lock { try setLock(lock, on: record.account, of: record.owner) }
      }
    case .settled(let status):
      let states: [PushStatus: NotificationObject.State] = [
        .approved: .approved, .denied: .denied, .expired: .expired, .cancelled: .cancelled,
      ]
      _ = try store.moveNotification(record.id, from: .sending, to: states[status] ?? .expired)
    }
    announce(record.id, of: record.owner)
  }

  private func claims(_ decision: Decision, of record: NotificationRecord) -> JSONObject {
    var claims: JSONObject = ["decision": .string(decision.name), "notification": .string(record.push)]
    claims["authenticationMethod"] = decision.method.map { .string($0) }
    claims["number"] = decision.number.map(JSON.int)
    claims["reason"] = decision.reason.map { .string($0) }
    return claims
  }

  /// Repeats a decision that was not heard, each time after a longer while, until the time is over.
  private func repeatDelivery(_ record: NotificationRecord) {
    guard !isExpired(record) else { return end(record.id, of: record.owner) }
    let delay = backOffs[record.id] ?? Self.shortestBackOff
    backOffs[record.id] = min(delay * 2, Self.longestBackOff)
    retryDelivery(record.id, of: record.owner, after: delay)
  }

  /// Sends a decision again after a while; of several such wishes one is enough.
  private func retryDelivery(_ id: String, of owner: uid_t, after delay: Duration) {
    guard retries.insert(id).inserted else { return }
    after(delay) { [weak self] in
      self?.retries.remove(id)
      guard let self, self.deliveries[id] == nil, let record = try? self.store.notification(id, of: owner),
        record.state == .sending, let decision = record.decision
      else { return }
      guard !self.isExpired(record) else { return self.end(id, of: owner) }
      self.deliverAgain(record, decision)
    }
  }

  /// An answer that was given some time ago leaves an entry of its end, not of each try.
  private func deliverAgain(_ record: NotificationRecord, _ decision: Decision) {
    let delivery = startDelivery(record, decision)
    EventLoop.task { [self] in
      let outcome: Result<AnswerOutcome, any Error>
      do { outcome = .success(try await delivery.value) } catch {
        switch error {
        case PlatformError.refused, PlatformError.deviceUnknown: outcome = .failure(error)
        // Anything else is tried again.
        default: return
        }
      }
      _ = try? await auditing(.deliverAnswer, of: record.id, owner: record.owner) {
        try answer(of: record, with: outcome.get())
      }
    }
  }

  /// Goes on after a start: times run again, and what was decided but not heard is asked for and sent again.
  package func resumeNotifications() async throws {
    let now = time.now()
    let open = try store.openNotifications()
    for record in open {
      let left = max(0, record.expiresAt.seconds(since: now))
      expire(record.id, of: record.owner, after: .seconds(min(left, record.timeout)))
    }
    for record in open where record.state == .sending && record.expiresAt > now { await resume(record) }
  }

  /// Only a decision that the platform has not seen is sent again.
  private func resume(_ record: NotificationRecord) async {
    guard let decision = record.decision,
      let identity = try? identity(record.identity)
    else { return }
    do {
      switch try await ask(identity, { try await $0.status(identity, push: record.push) }) {
      case .pending: retryDelivery(record.id, of: record.owner, after: .zero)
      case let status: try conclude(record, decision, .settled(status))
      }
    } catch { repeatDelivery(record) }
  }
}

extension Identity {
  /// A decision signed by the answer key, so that what its owner decided can be shown later.
  func signDecision(_ claims: JSONObject) throws -> String {
    try CompactJWS.sign(
      payload: JSON.object(claims).serialized,
      type: "decision+jwt",
      keyID: JWK(keys.answer.publicKey).thumbprint,
      with: keys.answer,
      algorithm: .es256
    )
  }
}
