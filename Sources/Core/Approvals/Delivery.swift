internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSONRPC
internal import Journal
internal import Vault

/// Hands decisions to the other side, and again until one is heard or its time is over.
///
/// A `Refusal` is the other side's word that nothing was decided: the decision is taken back. After any other failure,
/// also one of ours, nothing is known of what was heard, so the decision stands and is handed in again. Erasing an
/// owner cancels what is under way and forgets the rest.
@EventLoop
final class Delivery {
  private unowned let approvals: Approvals
  private let flights = SingleFlight<OwnedKey, Outcome>()
  private(set) var backOffs: [OwnedKey: BackOff] = [:]
  private var retries: Set<String> = []

  init(_ approvals: Approvals) { self.approvals = approvals }

  func isUnderWay(_ key: OwnedKey) -> Bool { flights.isRunning(key) }

  /// Waits for the other side's word on a decision; those who ask twice wait for the same.
  func deliver(_ request: ApprovalRequest, _ decision: Decision) async throws -> Outcome {
    try await start(request, decision).value
  }

  @discardableResult
  func start(_ request: ApprovalRequest, _ decision: Decision) -> Task<Outcome, any Error> {
    if backOffs[request.ownedKey] == nil {
      backOffs[request.ownedKey] = BackOff(from: .seconds(1), to: .seconds(30))
    }
    let stored = approvals.vault.commitment()
    return flights.start(request.ownedKey) { [approvals, weak self] in
      // What was decided is on the disk before anybody else hears of it; what could not be stored was not decided.
      try await stored.value()
      do {
        let outcome = try await approvals.approver(of: request).submit(request, decision)
        try approvals.conclude(request, decision, outcome)
        try await approvals.vault.committed()
        self?.finish(request, withdrawn: false)
        return outcome
      } catch let refusal as Refusal {
        do { try await approvals.takeBack(request) } catch {
          self?.repeatLater(request)
          throw error
        }
        self?.finish(request, withdrawn: true)
        throw refusal
      } catch {
        if !(error is CancellationError) { self?.repeatLater(request) }
        throw error
      }
    }
  }

  /// The time may have run out while it was on its way; what the other side said stands.
  private func finish(_ request: ApprovalRequest, withdrawn: Bool) {
    backOffs[request.ownedKey] = nil
    guard withdrawn, approvals.isOver(request) else { return }
    approvals.after(.zero) { [approvals] in approvals.end(request.id, of: request.owner) }
  }

  private func repeatLater(_ request: ApprovalRequest) {
    guard !approvals.isOver(request), let delay = backOffs[request.ownedKey]?.next() else {
      return approvals.after(.zero) { [approvals] in approvals.end(request.id, of: request.owner) }
    }
    retry(request.id, of: request.owner, after: delay)
  }

  /// Hands a decision in again after a while; of several such requests one is enough.
  private func retry(_ id: String, of owner: uid_t, after delay: Duration) {
    guard retries.insert(id).inserted else { return }
    // What was verified for a decision goes with it until it is heard.
    let presence = VerifiedPresence.current
    approvals.after(delay) { [weak self] in
      guard let self else { return }
      self.retries.remove(id)
      guard !self.isUnderWay(OwnedKey(id, of: owner)),
        let request = try? self.approvals.table.request(id, of: owner),
        request.state == .sending, let decision = request.decision
      else { return }
      guard !self.approvals.isOver(request) else { return self.approvals.end(id, of: owner) }
      VerifiedPresence.$current.withValue(presence) {
        self.deliverUnasked(
          request,
          decision,
          as: AutomaticAction(request.kind == .code ? "deliverDecision" : "deliverAnswer")
        )
      }
    }
  }

  /// Hands in a decision that nobody waits for, which leaves an entry of its end, not of each try.
  func deliverUnasked(_ request: ApprovalRequest, _ decision: Decision, as action: AutomaticAction) {
    let flight = start(request, decision)
    EventLoop.task { [approvals] in
      let outcome = await flight.result
      if case .failure(let error) = outcome, !(error is Refusal) { return }
      _ = try? await approvals.audit.following(action, of: request.id, owner: request.owner) {
        try approvals.check(outcome.get(), of: request)
      }
    }
  }

  /// After a start only a decision that the other side has not seen is handed in again, where it can be asked.
  func resume(_ request: ApprovalRequest) async {
    guard let decision = request.decision, !isUnderWay(request.ownedKey) else { return }
    do {
      switch try await approvals.approver(of: request).status(of: request) {
      case nil, .pending: retry(request.id, of: request.owner, after: .zero)
      case let standing?:
        try approvals.conclude(request, decision, .settled(standing))
        try await approvals.vault.committed()
      }
    } catch { retry(request.id, of: request.owner, after: .seconds(1)) }
  }

  func forget(_ key: OwnedKey) { backOffs[key] = nil }

  /// Ends what is under way for an owner who was erased.
  func forget(_ owner: uid_t) {
    flights.cancelAll(of: owner)
    backOffs.removeAll(of: owner)
  }
}
