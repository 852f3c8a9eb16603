internal import Accounts
public import ControlAPI
internal import EventLoop
public import Glibc
internal import JSON
internal import JSONRPC
internal import Journal
internal import Time
internal import Vault

extension Approvals {
  /// Approves a push, with a number if the push requires one.
  ///
  /// `method` is the claimed authentication method; the server receives a verified method instead, if any.
  public func approve(
    _ id: String,
    method: String,
    number: Int?,
    owner: uid_t
  ) async throws -> NotificationResult {
    let method = try presence.method(claiming: method, of: owner)
    return try await answer(
      id,
      Decision(isApproval: true, method: method, number: number, at: core.time.now()),
      owner: owner
    )
  }

  public func deny(_ id: String, reason: String, owner: uid_t) async throws -> NotificationResult {
    try await answer(id, Decision(isApproval: false, reason: reason, at: core.time.now()), owner: owner)
  }

  /// Decides on a push and waits for the server's response.
  public func answer(_ id: String, _ decision: Decision, owner: uid_t) async throws -> NotificationResult {
    guard let request = try table.request(id, of: owner), request.kind != .code else {
      throw RPCError.noSuch("request")
    }
    try checkDecidable(request, decision)
    try checkNumber(request, decision)
    let outcome = try await decide(request, decision)
    try check(outcome, of: request)
    let notification = try notification(id, of: owner)
    // The account was removed while the decision was being sent.
    guard notification.state != .cancelled else { throw RPCError.cancelled }
    guard case .accepted(let information, let lock) = outcome else { return NotificationResult(notification) }
    return NotificationResult(notification, confirmationInfo: information, lock: lock)
  }

  /// Stores the decision on the disk, sends it to the server and returns the outcome.
  ///
  /// A concurrent caller with the same decision waits for the same outcome.
  public func decide(_ request: ApprovalRequest, _ decision: Decision) async throws -> Outcome {
    var decision = decision
    if request.state == .pending {
      decision.isBlind = try core.vault.isLocked(request.owner)
      // A decision that is being reverted blocks others until the revert is on the disk.
      guard !delivery.isUnderWay(request.ownedKey) else { throw onItsWay(request) }
      try approver(of: request).admit(request, decision)
      // Without the guard key an approval cannot be sealed, and would never be submitted.
      guard try !decision.isApproval || core.vault.sealer.isOpen(request.owner) else { throw RPCError.locked }
      try core.vault.write { _ in
        guard try table.decide(request.id, of: request.owner, decision) else { throw onItsWay(request) }
        // The interface shows a code in delivery as pending, so there is no change to announce.
        if request.kind != .code { announce(request.id, of: request.owner) }
      }
    }
    return try await delivery.deliver(request, request.decision ?? decision)
  }

  /// Returns the error for a caller that decides while another decision is in flight.
  private func onItsWay(_ request: ApprovalRequest) -> RPCError {
    request.kind == .code
      ? .alreadyAnswered(state: AuthenticationObject.Status.claimed.rawValue)
      : .alreadyAnswered(state: ApprovalRequest.State.sending.rawValue)
  }

  /// Throws unless the request is open and accepts this decision.
  ///
  /// While a decision is being delivered, the request accepts only the same decision.
  public func checkDecidable(_ request: ApprovalRequest, _ decision: Decision) throws {
    switch request.state {
    case .pending, .sending:
      guard !isOver(request) else { throw RPCError.pushTimeout }
      guard request.decision?.agrees(with: decision) ?? true else {
        throw RPCError.alreadyAnswered(state: request.state.rawValue)
      }
    case .expired: throw RPCError.pushTimeout
    case .cancelled: throw RPCError.cancelled
    case .approved, .denied: throw RPCError.alreadyAnswered(state: request.state.rawValue)
    }
  }

  /// Throws if the request has expired, which may happen between two attempts to submit its decision.
  public func checkTime(of request: ApprovalRequest) throws {
    guard !isOver(request) else { throw request.kind == .code ? RPCError.expired : .pushTimeout }
  }

  /// Throws if an approval lacks a required number, or has a number although the push requires none.
  ///
  /// If the settings require numbers, a sign-on push without number matching cannot be approved. A number
  /// for a push without number matching means that the user looks at a different sign-on.
  private func checkNumber(_ request: ApprovalRequest, _ decision: Decision) throws {
    guard decision.isApproval else { return }
    if request.content.shown.numberMatching != nil {
      guard decision.number != nil else { throw RPCError.numberRequired }
    } else {
      guard !requiresNumber || request.kind == .silent else { throw RPCError.numberRequired }
      guard decision.number == nil else { throw RPCError.invalidParameter("number") }
    }
  }

  /// Throws the error that the owner receives if the server did not accept the decision.
  public func check(_ outcome: Outcome, of request: ApprovalRequest) throws {
    switch outcome {
    case .accepted: return
    case .locked(let lock): throw RPCError.accountLocked(lock)
    // For an expired code the owner receives its status instead of an error.
    case .settled(.expired): if request.kind != .code { throw RPCError.pushTimeout }
    case .settled(.cancelled): throw RPCError.cancelled
    case .settled(let standing): throw RPCError.alreadyAnswered(state: standing.rawValue)
    case .wrongNumber(let left, let lock):
      var details: JSONObject = ["triesLeft": .int(left)]
      details["lock"] = lock?.json
      throw RPCError.numberMismatch.with(details)
    }
  }

  /// Stores the outcome of a decision.
  func conclude(_ request: ApprovalRequest, _ decision: Decision, _ outcome: Outcome) throws {
    try core.vault.write { _ in
      switch outcome {
      case .accepted(_, let lock):
        try settle(request, decision.isApproval ? .approved : .denied)
        // The server accepts decisions only for unlocked accounts, so a response without a lock removes the
        // stored lock.
        if let account = request.account { try accounts.setLock(lock, on: account, of: request.owner) }
      case .locked(let lock):
        try withdraw(request)
        if let account = request.account { try accounts.setLock(lock, on: account, of: request.owner) }
      case .wrongNumber(let left, _) where left > 0: try withdraw(request)
      case .wrongNumber(_, let lock):
        try settle(request, .denied)
        if let lock, let account = request.account {
          try accounts.setLock(lock, on: account, of: request.owner)
        }
      case .settled(.pending): try withdraw(request)
      case .settled(let standing): try settle(request, standing.state)
      }
      announce(request.id, of: request.owner)
    }
  }

  /// Reverts a decision that the server refused.
  func revertDecision(_ request: ApprovalRequest) throws {
    try core.vault.write { _ in
      try withdraw(request)
      // If the server cancelled the request during the delivery, the cancellation takes effect now that the
      // decision is reverted.
      if try approver(of: request).wasTakenBack(request) {
        _ = try table.move(request.id, of: request.owner, from: .pending, to: .cancelled)
      }
      announce(request.id, of: request.owner)
    }
  }

  private func settle(_ request: ApprovalRequest, _ state: ApprovalRequest.State) throws {
    _ = try table.move(request.id, of: request.owner, from: .sending, to: state)
  }

  /// Reverts a decision that the server did not accept, so that the owner can decide again.
  ///
  /// No user decides on a silent push, so it expires instead.
  func withdraw(_ request: ApprovalRequest) throws {
    guard request.kind == .silent else { return try table.withdraw(request.id, of: request.owner) }
    _ = try table.move(request.id, of: request.owner, from: .sending, to: .expired)
    Journal.warning("the platform did not accept the decision on a silent push", ["uid": request.owner])
  }
}
