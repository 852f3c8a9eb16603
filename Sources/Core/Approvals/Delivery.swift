internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSONRPC
internal import Journal
internal import Time
internal import Vault

/// Hands decisions to the other side, and again until one is heard or its time is over.
///
/// What the other side said is stored, and if that fails it is stored later: nothing is handed in after it. A `Refusal`
/// is its word that nothing was decided: the decision is taken back. After any other failure, also one of ours, nothing
/// is known of what was heard, so the decision stands and is handed in again. Erasing an owner cancels what is under way
/// and forgets the rest.
@EventLoop
final class Delivery {
  private unowned let approvals: Approvals
  private let flights = SingleFlight<OwnedKey, Outcome>()
  private(set) var unsettled: [OwnedKey: Unsettled] = [:]
  private var retries: Set<String> = []

  /// What is known of a decision whose end is not stored yet.
  struct Unsettled {
    var backOff = BackOff(from: .seconds(1), to: .seconds(30))
    /// What was verified for the decision; it goes with it until its end, and with no other.
    var presence: VerifiedPresence?
    /// What the other side said.
    var word: Result<Outcome, Refusal>?
  }

  init(_ approvals: Approvals) {
    self.approvals = approvals
    approvals.core.vault.sealer.whenLockChanged { [weak self] in self?.lockChanged(of: $0) }
  }

  /// Whether a decision is on its way, or what the other side said of it on its way to the disk.
  func isUnderWay(_ key: OwnedKey) -> Bool { flights.isRunning(key) || unsettled[key]?.word != nil }

  /// Waits for the other side's word on a decision; those who ask twice wait for the same.
  func deliver(_ request: ApprovalRequest, _ decision: Decision) async throws -> Outcome {
    try await start(request, decision).value
  }

  @discardableResult
  func start(_ request: ApprovalRequest, _ decision: Decision) -> Task<Outcome, any Error> {
    let key = request.ownedKey
    let presence = VerifiedPresence.of(request.owner) ?? unsettled[key]?.presence
    recall(request)
    unsettled[key, default: Unsettled()].presence = presence
    let stored = approvals.core.vault.commitment()
    return VerifiedPresence.$current.withValue(presence) {
      flights.start(key) { [approvals] in
        let delivery = approvals.delivery
        // What was decided is on the disk before anybody else hears of it; what could not be stored was not decided.
        do { try await stored.value() } catch {
          if request.state == .pending { delivery.forget(key) } else { delivery.repeatLater(request) }
          throw error
        }
        return try await delivery.settle(request, decision)
      }
    }
  }

  /// Hears the other side and stores what it said.
  private func settle(_ request: ApprovalRequest, _ decision: Decision) async throws -> Outcome {
    let word: Result<Outcome, Refusal>
    do {
      word = try await hear(request, decision)
      switch word {
      case .success(let outcome): try approvals.conclude(request, decision, outcome)
      case .failure: try approvals.takeBack(request)
      }
      try await approvals.core.vault.committed()
    } catch {
      if !(error is CancellationError) { repeatLater(request) }
      throw error
    }
    finish(request)
    return try word.get()
  }

  /// What the other side says of a decision, or has said before.
  private func hear(
    _ request: ApprovalRequest,
    _ decision: Decision
  ) async throws -> Result<Outcome, Refusal> {
    if let word = unsettled[request.ownedKey]?.word { return word }
    let word: Result<Outcome, Refusal>
    do {
      word = .success(try await approvals.approver(of: request).submit(request, decision))
    } catch let refusal as Refusal { word = .failure(refusal) }
    unsettled[request.ownedKey]?.word = word
    return word
  }

  /// The time may have run out while it was on its way; what the other side said stands.
  private func finish(_ request: ApprovalRequest) {
    forget(request.ownedKey)
    if approvals.isOver(request) { endSoon(request) }
  }

  private func repeatLater(_ request: ApprovalRequest) {
    let key = request.ownedKey
    // What was heard is stored however late it is.
    guard unsettled[key]?.word != nil || !approvals.isOver(request),
      let delay = unsettled[key]?.backOff.next()
    else { return endSoon(request) }
    retry(request.id, of: request.owner, after: delay)
  }

  private func endSoon(_ request: ApprovalRequest) {
    approvals.core.after(.zero) { [approvals] in approvals.end(request.id, of: request.owner) }
  }

  /// Hands a decision in again after a while; of several such requests one is enough.
  private func retry(_ id: String, of owner: uid_t, after delay: Duration) {
    guard retries.insert(id).inserted else { return }
    let key = OwnedKey(id, of: owner)
    approvals.core.after(delay) { [weak self] in
      guard let self else { return }
      self.retries.remove(id)
      guard !self.flights.isRunning(key) else { return }
      do { try self.deliverAgain(id, of: owner) } catch {
        // What cannot be read now may be later, until it has ended.
        guard self.approvals.deadlines[key] != nil else { return }
        self.retry(id, of: owner, after: self.unsettled[key, default: Unsettled()].backOff.next())
      }
    }
  }

  /// What waited for its owner's PIN waits no longer.
  private func lockChanged(of owner: uid_t) {
    guard (try? approvals.core.vault.isLocked(owner)) == false else { return }
    // Whoever gave the PIN asked for none of it.
    Vault.leavingCall {
      for key in unsettled.keys where key.owner == owner && !flights.isRunning(key) {
        // What cannot be read now is tried again in its time.
        try? deliverAgain(key.id, of: owner)
      }
    }
  }

  private func deliverAgain(_ id: String, of owner: uid_t) throws {
    let key = OwnedKey(id, of: owner)
    guard let request = try approvals.table.request(id, of: owner), request.state == .sending,
      let decision = request.decision
    else { return forget(key) }
    guard unsettled[key]?.word != nil || !approvals.isOver(request) else {
      return approvals.end(id, of: owner)
    }
    deliverUnasked(
      request,
      decision,
      as: AutomaticAction(request.kind == .code ? "deliverDecision" : "deliverAnswer")
    )
  }

  /// Hands in a decision that nobody waits for, which leaves an entry of its end, not of each try.
  func deliverUnasked(_ request: ApprovalRequest, _ decision: Decision, as action: AutomaticAction) {
    let flight = start(request, decision)
    EventLoop.task { [approvals] in
      let outcome = await flight.result
      if case .failure(let error) = outcome, !(error is Refusal) { return }
      _ = try? await approvals.core.audit.following(action, of: request.id, owner: request.owner) {
        try approvals.check(outcome.get(), of: request)
      }
    }
  }

  /// After a start only a decision that the other side has not seen is handed in again, where it can be asked.
  func resume(_ request: ApprovalRequest) async {
    let key = request.ownedKey
    guard let decision = request.decision, !isUnderWay(key) else { return }
    recall(request)
    do {
      switch try await approvals.approver(of: request).status(of: request) {
      case nil, .pending: retry(request.id, of: request.owner, after: .zero)
      case let standing?:
        unsettled[key, default: Unsettled()].word = .success(.settled(standing))
        _ = try await deliver(request, decision)
      }
    } catch { retry(request.id, of: request.owner, after: .seconds(1)) }
  }

  /// Tells the other side's part of the house of a decision that an earlier life handed in; this life knows of its own.
  private func recall(_ request: ApprovalRequest) {
    guard request.state == .sending, unsettled[request.ownedKey] == nil else { return }
    try? approvals.approver(of: request).recall(request)
  }

  func forget(_ key: OwnedKey) { unsettled[key] = nil }

  /// Ends what is under way for an owner who was erased.
  func forget(_ owner: uid_t) {
    flights.cancelAll(of: owner)
    unsettled.removeAll(of: owner)
  }
}

extension Approvals {
  /// Resumes after a start: times run again, and what was decided but not heard is asked for and sent again.
  public func resume() async throws {
    let now = core.time.now()
    let open = try table.open()
    for request in open where deadlines[request.ownedKey] == nil {
      // A clock that was set back gives no request more time than it had at its receipt, which was before the start.
      let most = Duration.seconds(request.timeout) - (core.time.uptime() - start)
      let left = min(.seconds(request.expiresAt.seconds(since: now)), most)
      expire(request.id, of: request.owner, after: max(.zero, left))
    }
    // Another side that does not answer holds up nobody else's.
    let resumed = open.filter { $0.state == .sending && $0.expiresAt > now }.map { request in
      EventLoop.task { [delivery] in await delivery.resume(request) }
    }
    for task in resumed { await task.value }
  }
}
