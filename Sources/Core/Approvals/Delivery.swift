internal import ControlAPI
internal import EventLoop
internal import Glibc
internal import JSONRPC
internal import Journal
internal import Time
internal import Vault

/// Submits decisions to the server, and repeats this until the server responds or the request expires.
///
/// The response is stored. If this fails, it is tried again without submitting the decision again. After a
/// `Refusal` the request is still undecided at the server, so the decision is reverted. After any other
/// failed submission the outcome is unknown: the decision is kept and submitted again. Erasing an owner
/// cancels the owner's submissions in flight and drops those that wait for another attempt.
@EventLoop
final class Delivery {
  private unowned let approvals: Approvals
  private let flights = SingleFlight<OwnedKey, Outcome>()
  private(set) var unsettled: [OwnedKey: UnfinishedDelivery] = [:]
  private var retries: Set<String> = []

  /// The progress of a decision until its outcome is stored.
  struct UnfinishedDelivery {
    var backOff = BackOff(from: .seconds(1), to: .seconds(30))
    /// The presence that was verified for this decision.
    ///
    /// All attempts of this decision use it, and no other decision does.
    var presence: VerifiedPresence?
    /// The server's response, once there is one.
    var response: Result<Outcome, Refusal>?
  }

  init(_ approvals: Approvals) {
    self.approvals = approvals
    approvals.core.vault.sealer.whenLockChanged { [weak self] in self?.lockChanged(of: $0) }
  }

  /// True while a decision is being submitted or the server's response is being stored.
  func isUnderWay(_ key: OwnedKey) -> Bool { flights.isRunning(key) || unsettled[key]?.response != nil }

  /// Returns the outcome of a decision; concurrent callers wait for the same submission.
  func deliver(_ request: ApprovalRequest, _ decision: Decision) async throws -> Outcome {
    try await start(request, decision).value
  }

  @discardableResult
  func start(_ request: ApprovalRequest, _ decision: Decision) -> Task<Outcome, any Error> {
    let key = request.ownedKey
    let presence = VerifiedPresence.of(request.owner) ?? unsettled[key]?.presence
    recall(request)
    unsettled[key, default: UnfinishedDelivery()].presence = presence
    let stored = approvals.core.vault.commitment()
    return VerifiedPresence.$current.withValue(presence) {
      flights.start(key) { [approvals] in
        let delivery = approvals.delivery
        // The decision is on the disk before the server receives it. A decision that cannot be stored is
        // dropped.
        do { try await stored.value() } catch {
          if request.state == .pending { delivery.forget(key) } else { delivery.repeatLater(request) }
          throw error
        }
        return try await delivery.settle(request, decision)
      }
    }
  }

  /// Gets the server's response and stores it.
  private func settle(_ request: ApprovalRequest, _ decision: Decision) async throws -> Outcome {
    let response: Result<Outcome, Refusal>
    do {
      response = try await hear(request, decision)
      switch response {
      case .success(let outcome): try approvals.conclude(request, decision, outcome)
      case .failure: try approvals.revertDecision(request)
      }
      try await approvals.core.vault.committed()
    } catch {
      if !(error is CancellationError) { repeatLater(request) }
      throw error
    }
    finish(request)
    return try response.get()
  }

  /// Returns the server's response to a decision: a previous one if there is one, else submits the decision.
  private func hear(
    _ request: ApprovalRequest,
    _ decision: Decision
  ) async throws -> Result<Outcome, Refusal> {
    if let response = unsettled[request.ownedKey]?.response { return response }
    if decision.isApproval, request.kind != .silent {
      try approvals.table.checkGuard(request.id, of: request.owner)
    }
    let response: Result<Outcome, Refusal>
    do {
      response = .success(try await approvals.approver(of: request).submit(request, decision))
    } catch let refusal as Refusal { response = .failure(refusal) }
    unsettled[request.ownedKey]?.response = response
    return response
  }

  /// Completes a delivery.
  ///
  /// If the deadline has passed meanwhile, a request that the response leaves open expires.
  private func finish(_ request: ApprovalRequest) {
    forget(request.ownedKey)
    if approvals.isOver(request) { endSoon(request) }
  }

  private func repeatLater(_ request: ApprovalRequest) {
    let key = request.ownedKey
    // A response is stored even after the deadline.
    guard unsettled[key]?.response != nil || !approvals.isOver(request),
      let delay = unsettled[key]?.backOff.next()
    else { return endSoon(request) }
    retry(request.id, of: request.owner, after: delay)
  }

  private func endSoon(_ request: ApprovalRequest) {
    approvals.core.after(.zero) { [approvals] in approvals.end(request.id, of: request.owner) }
  }

  /// Schedules another submission of a decision, unless one is already scheduled.
  private func retry(_ id: String, of owner: uid_t, after delay: Duration) {
    guard retries.insert(id).inserted else { return }
    let key = OwnedKey(id, of: owner)
    approvals.core.after(delay) { [weak self] in
      guard let self else { return }
      self.retries.remove(id)
      guard !self.flights.isRunning(key) else { return }
      do { try self.deliverAgain(id, of: owner) } catch {
        // A request that cannot be read now may be readable later, until it expires.
        guard self.approvals.deadlines[key] != nil else { return }
        self.retry(id, of: owner, after: self.unsettled[key, default: UnfinishedDelivery()].backOff.next())
      }
    }
  }

  /// Submits an owner's decisions without a known outcome again once the owner is unlocked.
  private func lockChanged(of owner: uid_t) {
    guard (try? approvals.core.vault.isLocked(owner)) == false else { return }
    // The call that unlocked the owner did not request these submissions, so they run detached from it.
    Vault.leavingCall {
      for key in unsettled.keys where key.owner == owner && !flights.isRunning(key) {
        // If this fails, the scheduled retry tries again.
        try? deliverAgain(key.id, of: owner)
      }
    }
  }

  private func deliverAgain(_ id: String, of owner: uid_t) throws {
    let key = OwnedKey(id, of: owner)
    guard let request = try approvals.table.request(id, of: owner), request.state == .sending,
      let decision = request.decision
    else { return forget(key) }
    guard unsettled[key]?.response != nil || !approvals.isOver(request) else {
      return approvals.end(id, of: owner)
    }
    deliverUnasked(
      request,
      decision,
      as: AutomaticAction(request.kind == .code ? "deliverDecision" : "deliverAnswer")
    )
  }

  /// Submits a decision without a waiting caller.
  ///
  /// The audit gets one entry for the outcome, not one for each attempt.
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

  /// Resumes a delivery after a start.
  ///
  /// Queries the state at the server first. Submits the decision if the state is pending or unknown.
  func resume(_ request: ApprovalRequest) async {
    let key = request.ownedKey
    guard let decision = request.decision, !isUnderWay(key) else { return }
    recall(request)
    do {
      switch try await approvals.approver(of: request).status(of: request) {
      case nil, .pending: retry(request.id, of: request.owner, after: .zero)
      case let standing?:
        unsettled[key, default: UnfinishedDelivery()].response = .success(.settled(standing))
        _ = try await deliver(request, decision)
      }
    } catch { retry(request.id, of: request.owner, after: .seconds(1)) }
  }

  /// Reports to the approver that a previous run may have submitted the decision.
  ///
  /// Does nothing for decisions of this run.
  private func recall(_ request: ApprovalRequest) {
    guard request.state == .sending, unsettled[request.ownedKey] == nil else { return }
    try? approvals.approver(of: request).recall(request)
  }

  func forget(_ key: OwnedKey) { unsettled[key] = nil }

  /// Cancels the deliveries of an erased owner.
  func forget(_ owner: uid_t) {
    flights.cancelAll(of: owner)
    unsettled.removeAll(of: owner)
  }
}

extension Approvals {
  /// Resumes after a start: restarts timers, and queries or submits decisions without a known outcome.
  public func resume() async throws {
    let now = core.time.now()
    let open = try table.open()
    for request in open where deadlines[request.ownedKey] == nil {
      // If the clock was set back, a request must not get more time than its timeout. The request is
      // older than this start of the daemon, so at least the time since the start has been used up.
      let most = Duration.seconds(request.timeout) - (core.time.uptime() - start)
      let left = min(.seconds(request.expiresAt.seconds(since: now)), most)
      expire(request.id, of: request.owner, after: max(.zero, left))
    }
    // All deliveries resume concurrently, so that a server that does not respond delays no other one.
    let resumed = open.filter { $0.state == .sending && $0.expiresAt > now }.map { request in
      EventLoop.task { [delivery] in await delivery.resume(request) }
    }
    for task in resumed { await task.value }
  }
}
