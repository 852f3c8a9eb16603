internal import Accounts
public import Approvals
internal import Configuration
public import ControlAPI
public import EventLoop
public import Glibc
internal import JOSE
public import JSON
internal import JSONRPC
internal import Journal
internal import SQLite
public import Time
public import Vault
internal import WebAddress

/// Pushes of the device service, from receipt to a request that waits for its owner's decision.
@EventLoop
public final class Pushes: PushReader {
  private let core: Core
  let devices: Devices
  let paired: PingOneAccounts
  public let approvals: Approvals

  /// The name of the approver in stored requests.
  static nonisolated let approver = "pingone.push"

  public init(_ core: Core, devices: Devices, accounts: PingOneAccounts, approvals: Approvals) {
    (self.core, self.devices, paired, self.approvals) = (core, devices, accounts, approvals)
    core.register(self)
    approvals.register(self)
  }

  public nonisolated func recognizes(_ payload: JSON) -> Bool { PushEnvelope.push(in: payload) != nil }

  public func process(_ payload: JSON, owner: uid_t) throws -> NotificationObject? {
    let identities = try devices.requireTrusted(of: owner)
    guard let token = PushEnvelope.push(in: payload) else { throw RPCError.unrecognizedNotification }
    // Only verification can tell which of the owner's devices the push is for.
    var rejections: [Push.Rejection] = []
    for identity in identities {
      do { return try receive(token, for: identity) } catch let rejection as Push.Rejection {
        rejections.append(rejection)
      }
    }
    for rejection in rejections {
      Journal.warning("a push was rejected", ["reason": rejection, "uid": owner])
    }
    throw RPCError.tokenRejected
  }

  /// Verifies a push, stores it and notifies subscribers; a repeated push returns the same result.
  func receive(_ token: CompactJWS, for identity: Identity) throws -> NotificationObject? {
    let push = try Push(
      verifying: token,
      keys: JWKSet(try devices.platform(identity.url).announced()?.keys ?? []),
      issuer: identity.url.text.droppingLastSlash,
      audience: identity.deviceID ?? "",
      now: core.time.now()
    )
    let account = try paired.active(of: identity.owner).first {
      $0.identity == identity.id && $0.environment == push.environment && $0.user.id == push.user
    }
    guard let account else {
      Journal.warning(
        "a push was rejected",
        ["reason": "user not paired" as StaticString, "uid": identity.owner]
      )
      throw RPCError.tokenRejected
    }
    switch push.kind {
    case .cancel: return try cancel(push, account: account, identity)
    case .authentication: return try insert(push, .authentication, account: account, identity)
    case .silent: return try insert(push, .silent, account: account, identity)
    case .test: return try insert(push, .test, account: account, identity)
    }
  }

  /// Returns the request for the push with this ID at the platform.
  func request(_ push: String, of identity: Identity) throws -> ApprovalRequest? {
    try approvals.request(approver: Self.approver, source: identity.id, foreignID: push)
  }

  private func insert(
    _ push: Push,
    _ kind: ApprovalRequest.Kind,
    account: PingOneAccount,
    _ identity: Identity
  ) throws -> NotificationObject? {
    if let known = try request(push.id, of: identity) { return try shown(known) }
    let now = core.time.now()
    // A push is over if its cancellation is stored. It is also over if it was seen before, because then its
    // request or its account has been deleted.
    let isOver =
      try core.vault.isCancelled(push.id, user: push.user, identity: identity)
      || approvals.wasSeen(approver: Self.approver, source: identity.id, foreignID: push.id)
    let timeout = lifetime(of: push, identity)
    // The answer key signs the approval of a silent push. It is sealed while the owner is locked.
    let isUnanswerable = try kind == .silent && core.vault.isLocked(identity.owner)
    var content = ApprovalRequest.Content()
    content.shown = push.content
    let request = try ApprovalRequest(
      owner: identity.owner,
      approver: Self.approver,
      source: identity.id,
      foreignID: push.id,
      account: account.account.id,
      kind: kind,
      state: isOver
        ? .cancelled : timeout <= 0 || isUnanswerable ? .expired : kind == .test ? .approved : .pending,
      content: content,
      timeout: timeout,
      receivedAt: now
    )
    try approvals.insert(
      request,
      rememberedUntil: push.expiresAt.adding(seconds: 2 * Push.leeway),
      decidedAs: kind == .silent && request.state == .pending
        ? try silentDecision(for: identity.owner, at: now) : nil
    )
    Journal.debug("a push arrived", ["type": push.kind, "uid": identity.owner])
    return try approvals.notification(request.id, of: identity.owner)
  }

  /// Returns the decision on a silent push, without asking the user.
  ///
  /// The platform uses silent pushes to verify a device during a sign-on. The method `swk` of RFC 8176 states
  /// that a software key proved the device. If every approval requires user presence, the decision is a
  /// denial.
  private func silentDecision(for owner: uid_t, at now: Timestamp) throws -> Decision {
    guard try approvals.presence.requirement(of: owner) < .all else {
      return Decision(isApproval: false, reason: "NONE", at: now)
    }
    return Decision(isApproval: true, method: "swk", at: now)
  }

  /// Returns the number of seconds in which a push can be answered.
  ///
  /// A silent push can be answered until it expires on the platform's clock.
  private func lifetime(of push: Push, _ identity: Identity) -> Int {
    guard push.kind == .silent else { return push.timeout }
    let platformNow = core.time.now().seconds + (devices.platform(identity.url).clockOffset ?? 0)
    return max(0, min(push.timeout, push.expiresAt.seconds - platformNow))
  }

  /// Cancels a push if it has the same user as the cancellation.
  ///
  /// The cancellation is stored if it arrives before its push or during the submission of a decision. The
  /// submitted decision stays in effect unless the platform refuses it.
  private func cancel(_ push: Push, account: PingOneAccount, _ identity: Identity) throws
    -> NotificationObject?
  {
    guard let target = push.cancels else { return nil }
    let request = try request(target, of: identity)
    guard request == nil || request?.account == account.account.id else { throw RPCError.tokenRejected }
    if request == nil || request?.state == .sending {
      try core.quota.makeRoom(for: 0, of: identity.owner)
      try core.vault.insertCancellation(
        of: target,
        user: push.user,
        identity: identity,
        until: push.expiresAt
      )
    }
    guard let request else { return nil }
    try approvals.cancel(request)
    return try approvals.notification(request.id, of: request.owner)
  }

  private func shown(_ request: ApprovalRequest) throws -> NotificationObject? {
    try approvals.notification(request.id, of: request.owner)
  }
}

// Rows of `cancelled_push`: cancellations that arrived before their push or during the submission of a
// decision.

extension Vault {
  /// Maximum number of stored cancellations of a device.
  nonisolated static let cancellationLimit = 16_384

  /// Stores a cancellation and deletes the oldest ones above the limit.
  fileprivate func insertCancellation(
    of push: String,
    user: String,
    identity: Identity,
    until expiry: Timestamp
  ) throws {
    let digest = try sealer.digest("cancelled_push", [identity.id, user])
    try write { database in
      try database.run(
        """
        INSERT OR IGNORE INTO cancelled_push (identity, push_id, user_digest, expires_at) VALUES (?, ?, ?, ?)
        """,
        .text(identity.id),
        .text(push),
        .blob(digest),
        SQLValue(expiry.milliseconds)
      )
      try database.run(
        """
        DELETE FROM cancelled_push WHERE identity = ?1 AND sequence <=
          (SELECT sequence FROM cancelled_push WHERE identity = ?1 ORDER BY sequence DESC LIMIT 1 OFFSET ?2)
        """,
        .text(identity.id),
        SQLValue(Self.cancellationLimit)
      )
    }
  }

  /// True if the cancellation of this user's push is stored.
  func isCancelled(_ push: String, user: String, identity: Identity) throws -> Bool {
    let digest = try sealer.digest("cancelled_push", [identity.id, user])
    return try database.row(
      "SELECT 1 FROM cancelled_push WHERE identity = ? AND push_id = ? AND user_digest = ?",
      .text(identity.id),
      .text(push),
      .blob(digest)
    ) { _ in true } ?? false
  }

  fileprivate func purgeCancellations(now: Timestamp) throws {
    try write { try $0.run("DELETE FROM cancelled_push WHERE expires_at < ?", SQLValue(now.milliseconds)) }
  }
}

extension Pushes: OwnedComponent {
  public nonisolated static let schema: StaticString = """
    CREATE TABLE cancelled_push (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      identity TEXT NOT NULL REFERENCES identity (id) ON DELETE CASCADE,
      push_id TEXT NOT NULL,
      user_digest BLOB NOT NULL,
      expires_at INTEGER NOT NULL,
      UNIQUE (identity, push_id, user_digest)
    ) STRICT;
    """

  public nonisolated static let restoration = RestorationRules(later: [
    """
    INSERT OR IGNORE INTO cancelled_push (identity, push_id, user_digest, expires_at)
      SELECT identity, push_id, user_digest, expires_at FROM live.cancelled_push
      WHERE identity IN (SELECT id FROM identity)
    """
  ])

  public func usage(of owner: uid_t) throws -> Quota.Usage {
    try core.vault.usage(
      of: owner,
      by: """
        SELECT count(*) AS rows, 0 AS bytes FROM cancelled_push
          WHERE identity IN (SELECT id FROM identity WHERE owner = ?)
        """
    )
  }

  public func reclaim(from owner: uid_t) {}

  public func purge(before limit: Timestamp, now: Timestamp) throws -> Bool {
    try core.vault.purgeCancellations(now: now)
    return false
  }

  public func guardSecrets(of owner: uid_t) {}

  public func forget(_ owner: uid_t) {}
}
