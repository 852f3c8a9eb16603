internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import Journal
internal import Time

/// What goes on with a claimed code in this life of the program.
struct CodeProgress {
  /// When it can no longer be decided on, by the clock that nobody can set.
  let deadline: Duration
  /// The decision on its way, if it is.
  var delivery: Task<AuthenticationObject.Status, any Error>?
  /// How long the next attempt waits.
  var backOff: Duration
  /// Whether an attempt waits for its time.
  var isAttemptDue = false
}

extension Authenticator {
  private static let shortestBackOff = Duration.seconds(1)
  private static let longestBackOff = Duration.seconds(30)
  private static let longestLifetime = 30 * 60

  /// Ends a claimed code when its time is over.
  func watch(_ record: CodeRecord, for lifetime: Duration) {
    codeProgress[record.id] = CodeProgress(
      deadline: time.uptime() + lifetime,
      backOff: Self.shortestBackOff
    )
    after(lifetime) { [weak self] in
      // A decision that the platform is hearing right now ends with the platform's word.
      guard let self, self.codeProgress[record.id]?.delivery == nil else { return }
      self.expire(record)
    }
  }

  /// Whether it is too late to decide on a claimed code.
  func isOver(_ record: CodeRecord) -> Bool {
    guard let progress = codeProgress[record.id] else { return time.now() >= record.expiresAt }
    return progress.delivery == nil && time.uptime() >= progress.deadline
  }

  private func expire(_ record: CodeRecord) {
    do { try conclude(record, .expired) } catch {
      // Its deadline stays, so that the next who looks finds it expired.
      Journal.warning("a code that is over could not be ended", ["uid": record.owner])
    }
  }

  /// Waits for the platform's word on a decision; those who ask twice wait for the same delivery.
  func settle(_ record: CodeRecord, _ decision: CodeDecision) async throws -> AuthenticationObject.Status {
    let delivery = codeProgress[record.id]?.delivery ?? startDelivery(record, decision)
    return try answer(to: decision, with: try await delivery.value)
  }

  /// What the owner hears of the platform's word.
  private func answer(
    to decision: CodeDecision,
    with status: AuthenticationObject.Status
  ) throws -> AuthenticationObject.Status {
    guard status == .expired || (status == .completed) == decision.isApproval else {
      throw RPCError.alreadyAnswered(state: status.rawValue)
    }
    return status
  }

  private func startDelivery(
    _ record: CodeRecord,
    _ decision: CodeDecision
  ) -> Task<AuthenticationObject.Status, any Error> {
    let task = EventLoop.task { [self] in
      defer {
        codeProgress[record.id]?.delivery = nil
        // The time may have run out meanwhile; what the platform said stands.
        if codeProgress[record.id] != nil, isOver(record) { expire(record) }
      }
      do {
        let status = try await deliver(record, decision)
        try conclude(record, status)
        return status
      } catch {
        switch error {
        case PlatformError.refused, PlatformError.deviceUnknown, is RPCError:
          // The platform did not take it, so nothing was decided.
          try store.withdrawCodeDecision(record.id)
          codeProgress[record.id]?.backOff = Self.shortestBackOff
        default: repeatDelivery(record)
        }
        throw error
      }
    }
    codeProgress[record.id]?.delivery = task
    return task
  }

  private func deliver(
    _ record: CodeRecord,
    _ decision: CodeDecision
  ) async throws -> AuthenticationObject.Status {
    let trusted = try trustedIdentities(of: record.owner)
    guard let identity = trusted.first(where: { $0.id == record.identity }) else { throw RPCError.notPaired }
    var claims: JSONObject = ["decision": .string(decision.name), "requestId": .string(record.requestID)]
    claims["userId"] = decision.user.map { .string($0) }
    return try await ask(identity) { [claims] in
      try await $0.answer(identity, code: record.requestID, decision: identity.signDecision(claims))
    }
  }

  /// Stores how a code ended, if it was still open.
  private func conclude(_ record: CodeRecord, _ status: AuthenticationObject.Status) throws {
    let isEnded = try store.endCode(record.id, status)
    codeProgress[record.id] = nil
    if isEnded { announceCode(record.id, of: record.owner) }
  }

  /// Repeats a decision that was not heard, each time after a longer while, until the time is over.
  private func repeatDelivery(_ record: CodeRecord) {
    guard let backOff = codeProgress[record.id]?.backOff else { return }
    codeProgress[record.id]?.backOff = min(backOff * 2, Self.longestBackOff)
    retryDelivery(record, after: backOff)
  }

  /// Sends a decision again after a while; of several such wishes one is enough.
  private func retryDelivery(_ record: CodeRecord, after delay: Duration) {
    guard codeProgress[record.id]?.isAttemptDue == false else { return }
    codeProgress[record.id]?.isAttemptDue = true
    after(delay) { [weak self] in
      guard let self else { return }
      self.codeProgress[record.id]?.isAttemptDue = false
      guard let progress = self.codeProgress[record.id], progress.delivery == nil, !self.isOver(record),
        let now = try? self.store.code(record.id, of: record.owner), now.status == .claimed,
        let decision = now.decision
      else { return }
      self.deliverAgain(now, decision)
    }
  }

  /// A decision that was made some time ago leaves an entry of its end, not of each try.
  private func deliverAgain(_ record: CodeRecord, _ decision: CodeDecision) {
    let delivery = startDelivery(record, decision)
    EventLoop.task { [self] in
      let outcome: Result<AuthenticationObject.Status, any Error>
      do { outcome = .success(try await delivery.value) } catch {
        switch error {
        case PlatformError.refused, PlatformError.deviceUnknown, is RPCError: outcome = .failure(error)
        // Anything else is tried again.
        default: return
        }
      }
      _ = try? await auditing(.deliverDecision, of: record.id, owner: record.owner) {
        try answer(to: decision, with: outcome.get())
      }
    }
  }

  /// Goes on after a start: times run again, and what was decided but not heard is sent again.
  package func resumeCodes() throws {
    for record in try store.openCodes() where codeProgress[record.id] == nil {
      let left = record.expiresAt.seconds(since: time.now())
      watch(record, for: .seconds(max(0, min(left, Self.longestLifetime))))
      if record.decision != nil { retryDelivery(record, after: .zero) }
    }
  }
}
