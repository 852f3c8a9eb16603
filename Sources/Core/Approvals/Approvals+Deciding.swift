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
  /// Approves a push, with the number if it wants one; a method is claimed, and what was verified is said.
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

  /// Decides on a push and waits for the other side's word.
  public func answer(_ id: String, _ decision: Decision, owner: uid_t) async throws -> NotificationResult {
    guard let request = try table.request(id, of: owner), request.kind != .code else {
      throw RPCError.noSuch("request")
    }
    try checkDecidable(request, decision)
    try checkNumber(request, decision)
    let outcome = try await decide(request, decision)
    try check(outcome, of: request)
    let notification = try notification(id, of: owner)
    // The account ended while the decision was on its way.
    guard notification.state != .cancelled else { throw RPCError.cancelled }
    guard case .accepted(let information, let lock) = outcome else { return NotificationResult(notification) }
    return NotificationResult(notification, confirmationInfo: information, lock: lock)
  }

  /// Decides, which is on the disk before the other side hears of it, and hands the decision in; who decides the same
  /// meanwhile waits for the same end.
  public func decide(_ request: ApprovalRequest, _ decision: Decision) async throws -> Outcome {
    var decision = decision
    if request.state == .pending {
      decision.isBlind = try core.vault.isLocked(request.owner)
      // What is being taken back stands until that is on the disk.
      guard !delivery.isUnderWay(request.ownedKey) else { throw onItsWay(request) }
      try approver(of: request).admit(request, decision)
      try core.vault.write { _ in
        guard try table.decide(request.id, of: request.owner, decision) else { throw onItsWay(request) }
        // A code that is on its way looks like one that waits.
        if request.kind != .code { announce(request.id, of: request.owner) }
      }
    }
    return try await delivery.deliver(request, request.decision ?? decision)
  }

  /// What whoever decides is told while another decision is on its way.
  private func onItsWay(_ request: ApprovalRequest) -> RPCError {
    request.kind == .code
      ? .alreadyAnswered(state: AuthenticationObject.Status.claimed.rawValue)
      : .alreadyAnswered(state: ApprovalRequest.State.sending.rawValue)
  }

  /// An open request may be decided on; one that is on its way only as it was decided.
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

  /// Refuses to hand a decision in when its time is over, which it may be before it is handed in once more.
  public func checkTime(of request: ApprovalRequest) throws {
    guard !isOver(request) else { throw request.kind == .code ? RPCError.expired : .pushTimeout }
  }

  /// An approval brings a number exactly where the push wants one.
  ///
  /// Whoever brings one for a push that wants none looks at another sign-on than the push is about.
  private func checkNumber(_ request: ApprovalRequest, _ decision: Decision) throws {
    guard decision.isApproval else { return }
    if request.content.shown.numberMatching != nil {
      guard decision.number != nil else { throw RPCError.numberRequired }
    } else {
      guard !requiresNumber || request.kind == .silent else { throw RPCError.numberRequired }
      guard decision.number == nil else { throw RPCError.invalidParameter("number") }
    }
  }

  /// Throws what the owner hears when the other side's word is not what was decided.
  public func check(_ outcome: Outcome, of request: ApprovalRequest) throws {
    switch outcome {
    case .accepted: return
    case .locked(let lock): throw RPCError.accountLocked(lock)
    // Of a code that is over its owner hears the status.
    case .settled(.expired): if request.kind != .code { throw RPCError.pushTimeout }
    case .settled(.cancelled): throw RPCError.cancelled
    case .settled(let standing): throw RPCError.alreadyAnswered(state: standing.rawValue)
    case .wrongNumber(let left, let lock):
      var details: JSONObject = ["triesLeft": .int(left)]
      details["lock"] = lock?.json
      throw RPCError.numberMismatch.with(details)
    }
  }

  /// Stores what became of a decision.
  func conclude(_ request: ApprovalRequest, _ decision: Decision, _ outcome: Outcome) throws {
    try core.vault.write { _ in
      switch outcome {
      case .accepted(_, let lock):
        try settle(request, decision.isApproval ? .approved : .denied)
        // A decision that counts comes from an account that was open.
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

  /// Takes back a decision that the other side refused.
  func takeBack(_ request: ApprovalRequest) throws {
    try core.vault.write { _ in
      try withdraw(request)
      // Nothing stands any more that it could have come too late for.
      if try approver(of: request).wasTakenBack(request) {
        _ = try table.move(request.id, of: request.owner, from: .pending, to: .cancelled)
      }
      announce(request.id, of: request.owner)
    }
  }

  private func settle(_ request: ApprovalRequest, _ state: ApprovalRequest.State) throws {
    _ = try table.move(request.id, of: request.owner, from: .sending, to: state)
  }

  /// Takes back a decision that the other side did not take, so that another can be made if there is anybody to make
  /// it.
  func withdraw(_ request: ApprovalRequest) throws {
    guard request.kind == .silent else { return try table.withdraw(request.id, of: request.owner) }
    _ = try table.move(request.id, of: request.owner, from: .sending, to: .expired)
    Journal.warning("the platform did not take the decision on a silent push", ["uid": request.owner])
  }
}
